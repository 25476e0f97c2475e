// What the wallet package costs whoever installs it: requests to the chain that a registration adds to a bare viem write,
// CPU of importing it against importing what it uses of viem, and its size on disk.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startDevnet } from '@svc/devnet'
import { registerAgent, ServiceWallet } from '@svc/wallet'
import { createPublicClient, createWalletClient, defineChain, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startCountingProxy } from './parts/counting-proxy.mjs'
import { figure, median } from './parts/figure.mjs'
import { installedBytes } from './parts/installed-bytes.mjs'
import { importedPackages } from './parts/imported-packages.mjs'
import { mined } from './parts/mined.mjs'
import { withoutWaiting } from './parts/round-trips.mjs'
import { sized } from './parts/size.mjs'

const rounds = sized(5)
const starts = sized(15)
const packageFolder = fileURLToPath(new URL('../packages/wallet/', import.meta.url))

export async function run(report) {
  return [...(await measureRequests(report)), ...measureImport(report), measureSize(report)]
}

async function measureRequests(report) {
  const devnet = await startDevnet({ history: false, onProgress: report })
  const proxy = await startCountingProxy(devnet.rpcUrl)
  try {
    const seen = { ours: [], bare: [], direct: [] }
    for (let round = 0; round < rounds; round += 1) {
      const ours = await registered(devnet, proxy, {})
      const direct = await registered(devnet, proxy, { loadIdentitySdk: missing })
      const bare = await written(devnet, proxy, ours.agentURI)
      seen.ours.push(ours.trips.length)
      seen.direct.push(direct.trips.length)
      seen.bare.push(bare.length)
      if (round === 0) report(`registerAgent:\n${reported(ours.trips)}\nbare viem:\n${reported(bare)}`)
    }
    const bare = median(seen.bare)
    const reference = `bare viem writeContract and receipt, ${bare} requests`
    const beyond = (name, counts, bar) =>
      figure({ name, value: median(counts) - bare, unit: 'requests', reference, ...(bar && { bar }) })
    return [
      beyond('registerAgent, inline through the identity SDK, beyond bare', seen.ours, 3),
      beyond('registerAgent, inline without the SDK, beyond bare', seen.direct, 3),
    ]
  } finally {
    proxy.stop()
    await devnet.stop()
  }
}

/** The requests of a registration by a wallet of its own. */
async function registered(devnet, proxy, surroundings) {
  const { chainId, chain, registry } = devnet
  const privateKey = generatePrivateKey()
  const wallet = new ServiceWallet({ mode: 'local', privateKey, chainId, rpcUrls: { [chainId]: proxy.url } })
  await devnet.fund(wallet.address, { ETH: '1' })
  proxy.take()
  const result = await registerAgent(wallet, {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    ipfsMode: 'inline',
    registry: { identity: registry.identity },
    chains: [chain],
    env: {},
    ...surroundings,
  })
  if (result.status !== 'registered') throw new Error(`the registration is ${result.status}`)
  return { trips: withoutWaiting(proxy.take()), agentURI: result.agentURI }
}

async function missing() {
  throw Object.assign(new Error("Cannot find package 'agent0-sdk'"), { code: 'ERR_MODULE_NOT_FOUND' })
}

/** The same effect with viem alone, which is told nothing but the call. */
async function written(devnet, proxy, agentURI) {
  const account = privateKeyToAccount(generatePrivateKey())
  const chain = defineChain({ ...devnet.chain, rpcUrls: { default: { http: [proxy.url] } } })
  const transport = http(proxy.url, { batch: true })
  await devnet.fund(account.address, { ETH: '1' })
  proxy.take()
  const abi = parseAbi(['function register(string agentURI) returns (uint256)'])
  const call = { address: devnet.registry.identity, abi, functionName: 'register', args: [agentURI] }
  const hash = await createWalletClient({ account, chain, transport }).writeContract(call)
  await mined(createPublicClient({ chain, transport }), hash)
  return withoutWaiting(proxy.take())
}

function reported(trips) {
  return trips.map(({ methods }, index) => `  ${index + 1}. ${methods.join(' ')}`).join('\n')
}

/** CPU of the import alone, in processes of their own that take turns; Node's own start is not in it. */
function measureImport(report) {
  const ours = `import(${JSON.stringify(new URL('../packages/wallet/dist/index.js', import.meta.url).href)})`
  const parts = importedPackages(`${packageFolder}dist/index.js`).filter((name) => /^viem(\/|$)/.test(name))
  const viem = parts.map((name) => `import(${JSON.stringify(name)})`).join(', ')
  const seen = { ours: [], viem: [] }
  for (let start = 0; start <= starts; start += 1) {
    const [oursMs, viemMs] = [cpuMsOf(ours), cpuMsOf(viem)]
    if (start === 0) continue
    seen.ours.push(oursMs)
    seen.viem.push(viemMs)
  }
  report(`imported ${starts} times`)
  const viemMs = median(seen.viem)
  const reference = `${parts.join(', ')}, ${Math.round(viemMs)} ms of CPU, median of ${starts}`
  const value = median(seen.ours) / viemMs
  return [figure({ name: 'import of @svc/wallet, CPU', value, unit: 'x', reference, bar: 1.15 })]
}

function cpuMsOf(imports) {
  const program = `
    const before = process.cpuUsage()
    await Promise.all([${imports}])
    const { user, system } = process.cpuUsage(before)
    console.log((user + system) / 1_000)`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: packageFolder,
    encoding: 'utf8',
  })
  if (child.status !== 0) throw new Error(child.stderr)
  return Number(child.stdout)
}

function measureSize(report) {
  const { bytes, packages } = installedBytes(packageFolder)
  for (const { name, bytes } of packages.slice(0, 8)) report(`  ${(bytes / 1e6).toFixed(1)} MB ${name}`)
  const reference = `files of it and its ${packages.length - 1} dependencies, without optional peers`
  return figure({ name: 'installed size of @svc/wallet', value: bytes / 1e6, unit: 'MB', reference })
}
