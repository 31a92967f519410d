-- nvim -c 'luafile attach.lua': the client that setup() starts for $SAMPLE, and what its server was told, into $RESULT.
require('ptxlint').setup { cmd = { 'python3', vim.env.SERVER }, settings = { gpu = 'h200' } }
vim.cmd('edit ' .. vim.env.SAMPLE)
vim.wait(8000, function() return #vim.diagnostic.get(0) > 0 end, 20)
local out = { 'filetype ' .. vim.bo.filetype }
for _, found in ipairs(vim.diagnostic.get(0)) do
  table.insert(out, found.message)
end
vim.cmd 'split | enew'
vim.cmd('edit ' .. vim.env.SAMPLE)
for _, client in pairs(vim.lsp.get_active_clients()) do
  table.insert(out, client.name .. ' ' .. vim.fn.fnamemodify(client.config.root_dir, ':t'))
end
vim.fn.writefile(out, vim.env.RESULT)
vim.cmd 'qall!'
