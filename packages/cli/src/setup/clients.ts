import { fileURLToPath } from 'node:url'

/**
 * How each client of MCP is told of a server: the one table behind `svc setup client`, what a set-up prints, and
 * docs/client-configurations.md. None holds a key: over stdio the server reads its own file, over HTTP a client names a variable.
 */
export const clients = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file: 'claude_desktop_config.json (macOS ~/Library/Application Support/Claude/, Windows %APPDATA%\\Claude\\, Linux ~/.config/Claude/)',
    stdio: (program) => json({ mcpServers: { svc: program } }),
    http: (url) => {
      const args = ['-y', 'mcp-remote', url, '--header', 'Authorization:${SVC_AUTHORIZATION}']
      return json({ mcpServers: { svc: { command: 'npx', args, env: { SVC_AUTHORIZATION: 'Bearer KEY' } } } })
    },
    key: 'Put the key in the place of KEY: this client reads no variables of its surroundings.',
  },
  'claude-code': {
    title: 'Claude Code',
    file: '.mcp.json of the project',
    stdio: (program) => json({ mcpServers: { svc: { type: 'stdio', ...program } } }),
    http: (url) => json({ mcpServers: { svc: { type: 'http', url, headers: bearer('${SVC_KEY}') } } }),
    key: fromEnvironment(),
  },
  cursor: {
    title: 'Cursor',
    file: '~/.cursor/mcp.json, or .cursor/mcp.json of the project',
    stdio: (program) => json({ mcpServers: { svc: program } }),
    http: (url) => json({ mcpServers: { svc: { url, headers: bearer('${env:SVC_KEY}') } } }),
    key: fromEnvironment(),
  },
  vscode: {
    title: 'VS Code',
    file: '.vscode/mcp.json',
    stdio: (program) => json({ servers: { svc: { type: 'stdio', ...program } } }),
    http: (url) => {
      const inputs = [{ id: 'svc-key', type: 'promptString', description: 'API key of svc', password: true }]
      return json({ servers: { svc: { type: 'http', url, headers: bearer('${input:svc-key}') } }, inputs })
    },
    key: 'It asks for the key at the first use, and keeps it.',
  },
  windsurf: {
    title: 'Windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    stdio: (program) => json({ mcpServers: { svc: program } }),
    http: (url) => json({ mcpServers: { svc: { serverUrl: url, headers: bearer('${env:SVC_KEY}') } } }),
    key: fromEnvironment(),
  },
  codex: {
    title: 'Codex',
    file: '~/.codex/config.toml',
    stdio: ({ command, args }) =>
      `[mcp_servers.svc]\ncommand = ${toml(command)}\nargs = [${args.map(toml).join(', ')}]`,
    http: (url) => `[mcp_servers.svc]\nurl = ${toml(url)}\nbearer_token_env_var = "SVC_KEY"`,
    key: fromEnvironment(),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: '~/.gemini/settings.json',
    stdio: (program) => json({ mcpServers: { svc: program } }),
    http: (url) => json({ mcpServers: { svc: { httpUrl: url, headers: bearer('$SVC_KEY') } } }),
    key: fromEnvironment(),
  },
  generic: {
    title: 'Other clients',
    file: 'as its documentation says',
    stdio: (program) => json({ mcpServers: { svc: program } }),
    http: (url) => json({ mcpServers: { svc: { type: 'http', url, headers: bearer('${SVC_KEY}') } } }),
    key: 'Where it reads no variables, the key itself goes in the place of ${SVC_KEY}.',
  },
} as const satisfies Readonly<Record<string, ClientRow>>

export type ClientName = keyof typeof clients

export type ClientRow = {
  readonly title: string
  /** Where the configuration is kept. */
  readonly file: string
  /** For a client that starts the server itself. */
  readonly stdio: (program: Program) => string
  /** For one that reaches it at an address. */
  readonly http: (url: string) => string
  /** How the key gets into it over HTTP. */
  readonly key: string
}

export type Program = { readonly command: string; readonly args: readonly string[] }

export function isClientName(name: string): name is ClientName {
  return Object.hasOwn(clients, name)
}

/** The server of a data directory, for a client that starts it: its settings and keys stay in the directory. */
export function serverProgram(dataDir: string): Program {
  return { command: 'node', args: [svcProgram, 'serve', '--transport', 'stdio', '--data-dir', dataDir] }
}

/** Where this program stands, for `node`. */
export const svcProgram = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))

function bearer(reference: string) {
  return { Authorization: `Bearer ${reference}` }
}

function fromEnvironment(): string {
  return 'Start the client with SVC_KEY in its environment.'
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** A basic string of TOML is one of JSON. */
function toml(text: string): string {
  return JSON.stringify(text)
}
