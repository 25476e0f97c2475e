import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { requireLocal, svcPath } from './local-world.mjs'
import { newerNodePath } from './run-conformance.mjs'
import { runProgram } from './run-program.mjs'

/** The Inspector's CLI, a client nobody here wrote, lists and calls tools over HTTP and stdio, in both eras. */
export async function checkInspector(world, report, signal) {
  const check = async (name, assertion) => {
    try {
      report.passed(`Inspector, ${name}: ${await assertion()}`)
    } catch (error) {
      signal.throwIfAborted()
      report.failed(`Inspector, ${name}: ${error.message}`)
    }
  }
  const connections = { http: httpConnection(world), stdio: await stdioConnection(world) }
  for (const [transport, connection] of Object.entries(connections)) {
    const inEra = (era) => {
      const inspect = (...args) =>
        runInspector([...connection, '--protocol-era', era, ...args], world.directory, signal)
      return check(`${transport}, ${era}`, () => listAndCall(inspect, world, transport))
    }
    await Promise.all(['legacy', 'modern'].map(inEra))
  }
  await check('http without a key', async () => refusedWithoutKey(world, signal))
}

async function listAndCall(inspect, { ready }, transport) {
  const { tools } = succeeded(await inspect('--method', 'tools/list', '--strict'))
  const names = tools.map(({ name }) => name)
  deepStrictEqual(names, names.toSorted(), 'tools are listed in order')
  ok(names.includes('get_quote'), 'get_quote is listed')
  strictEqual(names.includes('add_liquidity'), transport === 'http', 'writes are listed for the write key only')

  const chains = call('list_supported_chains', { includeTestnets: true })
  await requireLocal(async () => structured(await inspect(...chains)), ready)

  const chain = String(ready.rpc.chainId)
  const quote = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain }
  const { amountOut, blockNumber } = structured(await inspect(...call('get_quote', quote)))
  match(amountOut, /^\d+(\.\d{1,6})?$/, 'the quote is an amount of USDC')
  ok(Number(amountOut) > 0 && blockNumber > 0, 'the quote comes from the chain')

  const refused = await inspect(...call('get_quote', { ...quote, amount: '1e18' }))
  strictEqual(refused.status, toolErrorStatus, 'a refused call has the Inspector say so')
  const { isError, _meta: meta, content } = resultOf(refused)
  strictEqual(isError, true)
  strictEqual(meta['svc/error'].code, 'VALIDATION_FAILED')
  strictEqual(meta['svc/error'].details[0].field, 'amount')
  strictEqual(JSON.parse(content[0].text).error.code, 'VALIDATION_FAILED')
  return `${names.length} tools, 1 WETH is ${amountOut} USDC, "1e18" is VALIDATION_FAILED`
}

/** What the Inspector exits with when a tool answers with an error. */
const toolErrorStatus = 5

async function refusedWithoutKey(world, signal) {
  const args = [world.ready.mcp.url, '--transport', 'http', '--stored-auth-only', '--method', 'tools/list']
  const { status, stdout } = await runInspector(args, world.directory, signal)
  ok(status !== 0, 'the Inspector fails')
  strictEqual(stdout, '')
  return 'refused'
}

function httpConnection({ ready }) {
  return [ready.mcp.url, '--transport', 'http', '--header', `Authorization: Bearer ${ready.mcp.keys.write}`]
}

/** A server of its own for every call. */
async function stdioConnection(world) {
  const path = join(world.directory, 'inspector.json')
  await writeFile(path, JSON.stringify({ mcpServers: { svc: stdioCommand(world) } }))
  return ['--config', path, '--server', 'svc']
}

/** What starts a server without a wallet on the world's chain. */
export function stdioCommand({ ready, directory, dataDir }) {
  const env = {
    SVC_DATA_DIR: join(directory, 'stdio'),
    SVC_MCP_PROFILE: 'data',
    SVC_CHAINS_FILE: join(dataDir, 'chains.json'),
    [`SVC_RPC_URL_${ready.rpc.chainId}`]: ready.rpc.url,
    // No other chain is asked: nothing listens here.
    SVC_RPC_PROVIDER: 'http://127.0.0.1:9/{chainId}',
  }
  return { command: process.execPath, args: [svcPath, 'serve', '--transport', 'stdio'], env }
}

export async function runInspector(args, home, signal) {
  const options = ['--format', 'json', '--quiet']
  const result = await runProgram(newerNodePath, [inspectorPath, '--cli', ...args, ...options], {
    signal,
    timeoutMs: 60_000,
    cwd: home,
    env: { HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' },
  })
  deepStrictEqual(result.left, [], 'nothing is left running')
  return result
}

export const inspectorFolder = fileURLToPath(new URL('node_modules/@modelcontextprotocol/inspector', import.meta.url))
export const inspectorPath = join(inspectorFolder, 'clients/launcher/build/index.js')

export function call(name, args) {
  return ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)]
}

export function structured(run) {
  const { structuredContent, content } = succeeded(run)
  deepStrictEqual(JSON.parse(content[0].text), structuredContent, 'text and structured content say the same')
  return structuredContent
}

function succeeded(run) {
  strictEqual(run.status, 0, `exit code ${run.status}: ${run.stderr.slice(-600)}`)
  return resultOf(run)
}

function resultOf({ stdout, stderr }) {
  ok(stdout !== '', `no result: ${stderr.slice(-600)}`)
  return JSON.parse(stdout).result
}
