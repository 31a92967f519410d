/* The GPUs that ptxlint knows, and a question which of them figures are for. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { readProgram } from './settings';

interface Gpu {
    name: string;
    product: string;
    architecture: string;
    sm: string;
}

const TARGET = 'as .target says';

/* No shell: what the settings name is a program, and nothing else. */
async function listGpus(): Promise<Gpu[]> {
    const { stdout } = await promisify(execFile)(readProgram(), ['gpu', '--format', 'json'], { maxBuffer: 1 << 24 });
    return (JSON.parse(stdout) as { gpus: Gpu[] }).gpus;
}

function itemOf(gpu: Gpu): vscode.QuickPickItem {
    return { label: gpu.name, description: gpu.product || gpu.architecture, detail: gpu.product ? `${gpu.architecture}, ${gpu.sm}` : undefined };
}

export async function selectGpu(): Promise<void> {
    let gpus: Gpu[];
    try {
        gpus = await listGpus();
    } catch (error) {
        void vscode.window.showErrorMessage(`ptxlint: ${error instanceof Error ? error.message : String(error)}`);
        return;
    }
    const items = [{ label: TARGET }, ...gpus.map(itemOf)];
    const chosen = await vscode.window.showQuickPick(items, { title: 'Which GPU are the figures for?', matchOnDescription: true });
    if (chosen) {
        const value = chosen.label === TARGET ? undefined : chosen.label;
        await vscode.workspace.getConfiguration('ptxlint').update('gpu', value, vscode.ConfigurationTarget.Workspace);
    }
}
