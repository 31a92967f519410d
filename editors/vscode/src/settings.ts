/* What the settings of the editor come to: the program, and what the server is told. */
import * as vscode from 'vscode';

/* What the server takes: docs/editors.md of ptxlint. An empty text takes a wish back. */
export interface Wishes {
    gpu: string | null;
    launch: string | null;
    config: string | null;
    grid: string | null;
    block: string | null;
}

export function readWishes(): Wishes {
    const settings = vscode.workspace.getConfiguration('ptxlint');
    const read = (key: string): string | null => settings.get<string>(key) || null;
    return { gpu: read('gpu'), launch: read('launch'), config: read('config'), grid: read('grid'), block: read('block') };
}

export function readProgram(): string {
    return vscode.workspace.getConfiguration('ptxlint').get<string>('path') || 'ptxlint';
}
