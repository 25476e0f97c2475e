import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const built = (name: string) => JSON.stringify(fileURLToPath(new URL(`../dist/${name}`, import.meta.url)))

/** What a program prints, and the modules that it loads. */
function load(program: string, env: Readonly<Record<string, string>> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-loads-'))
  const loaded = join(directory, 'loaded')
  const hook = `
    import { appendFileSync } from 'node:fs'
    export async function load(url, context, next) {
      appendFileSync(${JSON.stringify(loaded)}, url + '\\n')
      return next(url, context)
    }`
  const registered = `
    import { register } from 'node:module'
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}))
    ${program}`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', registered], {
    env: { SVC_DATA_DIR: join(directory, 'data'), SVC_LISTEN: '127.0.0.1:0', ...env },
    encoding: 'utf8',
    timeout: 150_000,
  })
  if (status !== 0) throw new Error(stderr)
  return { stdout, loaded: readFileSync(loaded, 'utf8').split('\n') }
}

/** What a process of the built package loads while it starts, lists its tools, calls one and closes. */
function run(env: Readonly<Record<string, string>>, calls = inSession) {
  const program = `
    const { openServer, readConfig, provisionKeys } = await import(${built('index.js')})
    const server = await openServer(readConfig(process.env))
    const { url } = await server.listen()
    const key = provisionKeys(readConfig(process.env), () => { throw new Error('no keys were kept') }).write.reveal()
    const post = async (message, session) => {
      const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session }
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) })
      return [answer.headers.get('mcp-session-id'), await answer.text()]
    }
    ${calls}
    await server.close()
    process.stdout.write(JSON.stringify(JSON.parse(list).result.tools.map((tool) => tool.name)))`
  const { stdout, loaded } = load(program, env)
  return { tools: JSON.parse(stdout) as string[], loaded }
}

const inSession = `const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const [session] = await post({ method: 'initialize', params })
    const [, list] = await post({ method: 'tools/list' }, { 'mcp-session-id': session })
    const [, tokens] = await post({ method: 'tools/call', params: { name: 'search_tokens', arguments: { query: 'USDC' } } }, { 'mcp-session-id': session })
    if (tokens.includes('isError')) throw new Error(tokens)`

const stateless = `const names = 'io.modelcontextprotocol/'
    const _meta = {
      [names + 'protocolVersion']: '2026-07-28',
      [names + 'clientInfo']: { name: 'x', version: '1' },
      [names + 'clientCapabilities']: {},
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    const [, list] = await post({ method: 'tools/list', params: { _meta } }, headers)`

// What a revert says is read in any profile.
const ofSigning =
  /service-wallet|accounts\/(index|privateKeyToAccount)|write-pipeline|libsql|kysely|store\/dist|engine\/dist\/(open-engine|pipeline|stages|simulation\/(?!revert-reason)|recovery\/(?!owed-allowances-file)|allowances|audit|signatures)/
const ofProtocol = /@modelcontextprotocol/
const ofFigures = /node_modules\/prom-client\/|dist\/metrics\/(?!metric-catalogue)|@opentelemetry\//
const ofSignIn = /node_modules\/jose\/|auth\/sign-in\//
const ofOperator = /tool-server\/dist\/operator\/(?!operator-(?:route|paths)\.js)/
const writeTools = [
  'add_liquidity',
  'approve_token',
  'collect_fees',
  'compound_fees',
  'execute_swap',
  'harvest_rewards',
  'increase_liquidity',
  'rebalance_position',
  'remove_liquidity',
]

describe('what a process loads', () => {
  it('is nothing that signs or keeps state in the profile data, which needs no key, no wallet and no state', () => {
    const { tools, loaded } = run({})
    expect(loaded.length).toBeGreaterThan(50)
    expect(loaded.filter((url) => ofProtocol.test(url))).toEqual([])
    expect(loaded.filter((url) => ofSigning.test(url) || ofSignIn.test(url))).toEqual([])
    expect(tools).toContain('check_safety_status')
    expect(tools.filter((name) => writeTools.includes(name))).toEqual([])
  })

  it('stays so when a wallet is configured but the profile is data', () => {
    const { loaded } = run({ PRIVATE_KEY: `0x${'11'.repeat(32)}`, SVC_MCP_PROFILE: 'data' })
    expect(loaded.filter((url) => ofSigning.test(url))).toEqual([])
  })

  it('is all of it with a wallet in the profile full', () => {
    const { tools, loaded } = run({ PRIVATE_KEY: `0x${'11'.repeat(32)}` })
    expect(loaded.filter((url) => ofSigning.test(url)).length).toBeGreaterThan(10)
    // Nor is what signs others in, unless they may, and what operators see, unless they ask for it.
    expect(loaded.filter((url) => ofSignIn.test(url) || ofOperator.test(url))).toEqual([])
    expect(tools).toEqual(expect.arrayContaining(writeTools))
  })

  it('is what keeps figures and spans only where they are asked for', () => {
    expect(run({}, stateless).loaded.filter((url) => ofFigures.test(url))).toEqual([])
    // Where spans would go is never asked: the process ends with the trace.
    const watched = { SVC_METRICS_LISTEN: '127.0.0.1:0', SVC_TRACES_URL: 'http://127.0.0.1:9/v1/traces' }
    const { loaded } = run(watched, stateless)
    expect(loaded.some((url) => url.includes('@opentelemetry'))).toBe(true)
    expect(loaded.filter((url) => ofFigures.test(url)).length).toBeGreaterThan(5)
  })

  it('is no protocol library where the fast path answers', () => {
    const { tools, loaded } = run({}, stateless)
    expect(tools).toContain('check_safety_status')
    expect(loaded.filter((url) => ofProtocol.test(url))).toEqual([])
    const unusual = `${stateless}
    await post({ method: 'prompts/list', params: { _meta } }, { ...headers, 'mcp-method': 'prompts/list' })`
    expect(run({}, unusual).loaded.some((url) => ofProtocol.test(url))).toBe(true)
  })

  it('is nothing that asks a chain or writes a log in a thread that computes', () => {
    const { loaded } = load(`await import(${built('workers/compute.js')})`)
    expect(loaded.some((url) => /lp-math/.test(url))).toBe(true)
    expect(loaded.filter((url) => /node_modules\/(?:viem|pino)\//.test(url))).toEqual([])
  })
})
