import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { devnetPolicy } from '@svc/engine'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/**
 * The tool server as a process of its own, whose settings name bundler and paymaster and whose policy lets the wallet run what sends
 * user operations. It is spoken to over stdio, a line a message.
 */
export async function openToolServer({ devnet, bundlerUrl, paymasterUrl }) {
  const { chainId, chain, rpcUrl, simple7702Account } = devnet
  const privateKey = generatePrivateKey()
  const wallet = privateKeyToAccount(privateKey).address
  await devnet.fund(wallet, { ETH: '5', WETH: '20', USDC: '50000' })
  const directory = await mkdtemp(join(tmpdir(), 'svc-bundler-'))
  const policy = devnetPolicy({ batchDelegate: { [chainId]: simple7702Account } })
  const place = async (name, content) => {
    const path = join(directory, name)
    await writeFile(path, JSON.stringify(content), { mode: 0o600 })
    return path
  }
  await place('policy.json', policy)
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'development',
    LOG_LEVEL: 'warn',
    SVC_MCP_PROFILE: 'full',
    SVC_DATA_DIR: directory,
    SVC_CHAINS_FILE: await place('chains.json', [chain]),
    WALLET_TYPE: 'local',
    PRIVATE_KEY: privateKey,
    SVC_IPFS_MODE: 'inline',
    [`SVC_RPC_URL_${chainId}`]: rpcUrl,
    [`SVC_BUNDLER_URL_${chainId}`]: bundlerUrl,
    [`SVC_PAYMASTER_URL_${chainId}`]: paymasterUrl,
  }
  const main = fileURLToPath(new URL('main.js', import.meta.resolve('@svc/tool-server')))
  const child = spawn(process.execPath, [main, '--transport', 'stdio'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const ask = createAsking(child)
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'svc-integration', version: '1' },
  })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return {
    wallet,
    call: async (name, input) => {
      const answer = await ask('tools/call', { name, arguments: { chain: 'local', ...input } })
      if (answer.isError !== true) return answer.structuredContent
      throw new Error(`${name}: ${JSON.stringify(answer._meta['svc/error'])}`)
    },
    async close() {
      child.stdin.end()
      child.kill('SIGTERM')
      await exited
      await rm(directory, { recursive: true })
    },
  }
}

function createAsking(child) {
  const waiting = new Map()
  let next = 0
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line)
      const settle = waiting.get(id)
      waiting.delete(id)
      if (settle !== undefined) settle(error === undefined ? result : Promise.reject(new Error(error.message)))
    }
  })
  child.once('exit', () => waiting.forEach((settle) => settle(Promise.reject(new Error('the server ended')))))
  return (method, params) =>
    new Promise((resolve) => {
      const id = next++
      waiting.set(id, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
}
