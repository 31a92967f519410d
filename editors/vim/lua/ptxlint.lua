-- ptxlint.lua -- the language server in Neovim: require('ptxlint').setup { settings = { gpu = 'h200' } }.
-- From 0.11 on by vim.lsp.config, before that by vim.lsp.start_client (0.7) for each buffer.
local M = {}

local defaults = { cmd = { 'ptxlint', 'lsp' }, filetypes = { 'ptx' }, root_markers = { '.ptxlint.yaml', '.git' }, settings = {} }

-- The folder of the nearest marker above a file; its own folder where there is none.
local function find_root(path, markers)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  local at = folder
  while true do
    for _, marker in ipairs(markers) do
      if vim.loop.fs_stat(at .. '/' .. marker) then
        return at
      end
    end
    local above = vim.fn.fnamemodify(at, ':h')
    if above == at then
      return folder
    end
    at = above
  end
end

local function config_for(options)
  return {
    name = 'ptxlint',
    cmd = options.cmd,
    filetypes = options.filetypes,
    root_markers = options.root_markers,
    settings = { ptxlint = options.settings },
    init_options = options.settings,
    on_attach = options.on_attach,
    capabilities = options.capabilities,
  }
end

-- One client a root, as vim.lsp.start has it from 0.8 on.
local clients = {}

local function attach(options, buffer)
  local config = config_for(options)
  config.root_dir = find_root(vim.api.nvim_buf_get_name(buffer), options.root_markers)
  local id = clients[config.root_dir]
  if not id or vim.lsp.client_is_stopped(id) then
    config.capabilities = config.capabilities or vim.lsp.protocol.make_client_capabilities()
    id = vim.lsp.start_client(config)
    clients[config.root_dir] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

function M.setup(options)
  options = vim.tbl_deep_extend('force', defaults, options or {})
  if vim.lsp.config and vim.lsp.enable then
    vim.lsp.config('ptxlint', config_for(options))
    vim.lsp.enable('ptxlint')
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    pattern = options.filetypes,
    group = vim.api.nvim_create_augroup('ptxlint', { clear = true }),
    callback = function(event)
      attach(options, event.buf)
    end,
  })
end

return M
