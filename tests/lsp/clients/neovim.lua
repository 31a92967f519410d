-- Run by check-clients.py with the file of $SAMPLE open: Debian's neovim 0.7 as a client. Says what it has seen, a line each; the last is
-- "end".
vim.o.swapfile = false
local function say(...) io.stdout:write(string.format(...) .. "\n") end
local function fail(text) say("failed: %s", text); vim.cmd("cquit 1") end

vim.bo.filetype = "ptx"
local id = vim.lsp.start_client { name = "ptxlint", cmd = { vim.env.PTXLINT, "lsp" }, root_dir = vim.fn.getcwd() }
if not id then fail("the server does not start") end
vim.lsp.buf_attach_client(0, id)

local function codes()
  local found = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do table.insert(found, d.code .. ":" .. (d.lnum + 1)) end
  table.sort(found)
  return table.concat(found, " ")
end
local function wait_for(part)
  if not vim.wait(20000, function() return codes():find(part, 1, true) ~= nil end, 20) then fail("no " .. part .. " in: " .. codes()) end
end
local function ask(method, line, character, more)
  local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
  local answers = vim.lsp.buf_request_sync(0, method, vim.tbl_extend("force", params, more or {}), 20000)
  if not answers or not answers[id] or answers[id].err then fail(method) end
  return answers[id].result
end

wait_for("COR101:9")
say("diagnostics %s", codes())
say("hover %s", ask("textDocument/hover", 8, 3).contents.value:match("st%.%S+"))
say("symbol %s", ask("textDocument/documentSymbol", 0, 0)[1].name)
say("lens %s", ask("textDocument/codeLens", 0, 0)[1].command.title:match("registers"))
local cuda = vim.fn.expand("%:p:h") .. "/k.cu"
vim.fn.writefile({ "__global__ void k(int *p) { *p = 1; }" }, cuda)
local source = vim.fn.bufadd(cuda)
vim.fn.bufload(source)
vim.bo[source].filetype = "cuda"
vim.lsp.buf_attach_client(source, id)
local there = { textDocument = { uri = vim.uri_from_bufnr(source) } }
say("cuda lens %s", ask("textDocument/codeLens", 0, 0, there)[1].command.title:match("^k: %d+ registers"))
say("cuda hover %s", ask("textDocument/hover", 0, 0, there).contents.value:match("Line 1: %d+"))
say("completion %d", #ask("textDocument/completion", 8, 4).items > 0 and 1 or 0)
local edit = ask("textDocument/rename", 6, 16, { newName = "%address1" })
vim.lsp.util.apply_workspace_edit(edit, vim.lsp.get_client_by_id(id).offset_encoding)
say("renamed %s", vim.api.nvim_buf_get_lines(0, 8, 9, false)[1]:match("%[(.-)%]"))
-- edits in several places at once, with a character of two UTF-16 units
vim.api.nvim_buf_set_lines(0, 4, 5, false, { "{ // \240\159\152\128 x", "\t// more" })
vim.api.nvim_buf_set_text(0, 4, 5, 4, 9, { "\240\159\152\128\240\159\152\128" })
wait_for("COR101:10")
say("moved %s", codes())
local actions = ask("textDocument/codeAction", 9, 24, { range = { start = { line = 9, character = 0 }, ["end"] = { line = 9, character = 30 } },
                                                       context = { diagnostics = {} } })
for _, action in ipairs(actions) do
  if action.title:find("Ignore COR101", 1, true) then vim.lsp.util.apply_workspace_edit(action.edit, "utf-16") end
end
if not vim.wait(20000, function() return not codes():find("COR101", 1, true) end, 20) then fail("COR101 is not suppressed: " .. codes()) end
say("ignored")
vim.lsp.stop_client(id)
if not vim.wait(10000, function() return vim.lsp.client_is_stopped(id) end, 20) then fail("the server does not stop") end
say("end")
vim.cmd("qall!")
