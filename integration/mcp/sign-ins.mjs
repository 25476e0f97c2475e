import { match, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import { WebSocket } from 'ws'
import { bearer, machineToken, walletToken } from './credentials.mjs'
import { call, inspectorFolder, inspectorPath, runInspector, stdioCommand, structured } from './inspector.mjs'
import { requireLocal } from './local-world.mjs'
import { newerNodePath } from './run-conformance.mjs'
import { runProgram } from './run-program.mjs'

/** Each row of the README's table of sign-ins, with the Inspector's CLI and the clients of both SDKs, over each transport that takes it. */
export async function checkSignIns(world, edge, report, signal) {
  const { ready } = world
  const rows = {
    'a static key': async () => bearer(ready.mcp.keys.read),
    'a wallet that signs in': async () => bearer(await walletToken(ready.mcp.url)),
    OAuth: async () => bearer(await machineToken(ready.oauth, ready.mcp.url)),
    'an edge token': async () => edge.headersFor('a-service.access'),
  }
  const row = (name, work) =>
    work().then(
      (said) => report.passed(`sign-in by ${name}: ${said}`),
      (error) => {
        signal.throwIfAborted()
        report.failed(`sign-in by ${name}: ${error.stack}`)
      },
    )
  for (const [name, headersOf] of Object.entries(rows)) {
    await row(name, async () => withHeaders(await headersOf(), world, signal))
  }
  await row('OAuth, of which the SDK takes care', () => bySdkAlone(ready))
  await row('the lines that svc up prints', () => byPrintedLines(world, signal))
  await row('stdio', () => overStdio(world))
}

async function withHeaders(headers, world, signal) {
  const { ready, directory } = world
  const requestInit = { headers }
  const url = new URL(ready.mcp.url)
  const modern = (options) => [new Client(identity, options), new StreamableHTTPClientTransport(url, { requestInit })]
  const clients = {
    'SDK 2': modern({ versionNegotiation: { mode: 'auto' } }),
    'SDK 2 as of before': modern({}),
    'SDK 1': [new FirstClient(identity), new FirstTransport(url, { requestInit })],
    'SDK 1 over WebSocket': [new FirstClient(identity), openWebSocket(ready.webSocket.url, headers)],
  }
  for (const [name, [client, transport]] of Object.entries(clients)) await listAndCall(name, client, transport, ready)
  const given = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const args = [ready.mcp.url, '--transport', 'http', ...given, ...call('list_supported_chains', listChains)]
  await requireLocal(async () => structured(await runInspector(args, directory, signal)), ready)
  return `the Inspector, ${Object.keys(clients).join(', ')}`
}

const identity = { name: 'svc-integration', version: '1' }
const listChains = { includeTestnets: true }

async function listAndCall(name, client, transport, ready) {
  try {
    await client.connect(transport)
    const { tools } = await client.listTools()
    ok(
      tools.some((tool) => tool.name === 'get_quote'),
      `${name} lists get_quote`,
    )
    await requireLocal(async () => {
      const answer = await client.callTool({ name: 'list_supported_chains', arguments: listChains })
      ok(answer.isError !== true, `${name} calls a tool: ${JSON.stringify(answer.content)}`)
      return answer.structuredContent
    }, ready)
  } finally {
    await client.close()
  }
}

/** The first SDK's client takes the class that stands in the global scope, and gives it no headers. */
function openWebSocket(url, headers) {
  globalThis.WebSocket = class extends WebSocket {
    constructor(place, protocol) {
      super(place, protocol, { headers })
    }
  }
  return new WebSocketClientTransport(new URL(url))
}

/** It finds the authorization server by the first 401, and gets a token by itself. */
async function bySdkAlone(ready) {
  const authProvider = new ClientCredentialsProvider({ ...ready.oauth.machine, expectedIssuer: ready.oauth.issuer })
  const transport = new StreamableHTTPClientTransport(new URL(ready.mcp.url), { authProvider })
  await listAndCall('SDK 2', new Client(identity, { versionNegotiation: { mode: 'auto' } }), transport, ready)
  return 'its client, with the id and secret that svc up shows'
}

/** What a person pastes into a shell: the first line gets a token, the second lists tools with it. */
async function byPrintedLines({ banner, directory }, signal) {
  const asking = /^TOKEN=.*$/m.exec(banner)?.[0]
  const inspecting = /^npx -y @modelcontextprotocol\/inspector@(\S+) (.*)$/m.exec(banner)
  const { version } = JSON.parse(readFileSync(`${inspectorFolder}/package.json`, 'utf8'))
  strictEqual(inspecting?.[1], version, 'the line names the Inspector that is tried here')
  const script = `${asking}\n"${newerNodePath}" "${inspectorPath}" ${inspecting[2]} --format json --quiet`
  const env = { HOME: directory, MCP_INSPECTOR_SECRET_STORE: 'memory' }
  const { status, stdout, stderr } = await runProgram('sh', ['-c', script], {
    signal,
    timeoutMs: 60_000,
    cwd: directory,
    env,
  })
  strictEqual(status, 0, `exit code ${status}: ${stderr.slice(-600)}`)
  const { tools } = JSON.parse(stdout).result
  match(JSON.stringify(tools.map(({ name }) => name)), /"get_quote"/)
  return `${tools.length} tools`
}

/** The client starts the server itself and needs no credential: it is whoever started it. */
async function overStdio(world) {
  const command = { ...stdioCommand(world), stderr: 'ignore' }
  const clients = {
    'SDK 2': [new Client(identity, { versionNegotiation: { mode: 'auto' } }), new StdioClientTransport(command)],
    'SDK 1': [new FirstClient(identity), new FirstStdio(command)],
  }
  for (const [name, [client, transport]] of Object.entries(clients)) {
    await listAndCall(name, client, transport, world.ready)
  }
  return `${Object.keys(clients).join(', ')}; the Inspector above`
}
