// The world in which a server is killed: one local chain, one wallet, one data directory, the fault proxy between, and
// what the parent reads beside the server: chain, journal, ledger, audit log.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@svc/devnet'
import { openStore } from '@svc/store'
import { devnetPolicy } from '@svc/engine'
import {
  createTestClient,
  decodeFunctionData,
  encodeFunctionData,
  http,
  keccak256,
  parseAbi,
  parseEventLogs,
  publicActions,
  toEventSelector,
  toHex,
} from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startFaultProxy } from '../../packages/devnet/dist/services/fault-proxy.js'
import { verifyAuditLog } from '../../packages/engine/dist/audit/read-audit-log.js'

export async function openWorld({ random, database, program, report }) {
  const closers = []
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    const devnet = await startDevnet({ history: false, onProgress: report })
    closers.push(() => devnet.stop())
    const proxy = await startFaultProxy({ target: devnet.rpcUrl, random })
    closers.push(() => proxy.stop())
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-kills-'))
    closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const place = await database.newPlace()
    const privateKey = generatePrivateKey()
    const wallet = privateKeyToAddress(privateKey)
    await devnet.fund(wallet, { ETH: '100', USDC: '1000000', DAI: '1000000' })
    const chain = createTestClient({ mode: 'anvil', transport: http(devnet.rpcUrl) }).extend(publicActions)
    const store = await openStore({ ...place.at(dataDir), now: Date.now })
    closers.push(() => store.close())
    const settings = settingsOf({ devnet, dataDir, privateKey, rpcUrl: proxy.url, environment: place.environment })
    return {
      program,
      devnet,
      proxy,
      dataDir,
      wallet,
      chain,
      store,
      database,
      settings,
      close,
      ...readings({ devnet, wallet, chain, store, dataDir }),
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The settings of the server; `confirmations` makes it wait for that many blocks, for trials with reorgs. */
function settingsOf({ devnet, dataDir, privateKey, rpcUrl, environment }) {
  const policy = devnetPolicy({
    batchDelegate: { [devnet.chainId]: devnet.batchDelegate },
    vaults: { [devnet.chainId]: [devnet.vaults[0].address] },
  })
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
  return (confirmations = 1) => {
    const chainsFile = join(dataDir, `chains-${confirmations}.json`)
    // Without their feeds, a band wide, both dollars are worth one.
    const tokens = devnet.chain.tokens.map(({ priceSources, ...token }) =>
      token.usdPegged === true ? token : { ...token, priceSources },
    )
    writeFileSync(chainsFile, JSON.stringify([{ ...devnet.chain, tokens, confirmations }]))
    return {
      NODE_ENV: 'development',
      LOG_LEVEL: 'warn',
      SVC_DATA_DIR: dataDir,
      SVC_CHAINS_FILE: chainsFile,
      SVC_LISTEN: '127.0.0.1:0',
      SVC_MCP_PROFILE: 'full',
      WALLET_TYPE: 'local',
      PRIVATE_KEY: privateKey,
      [`SVC_RPC_URL_${devnet.chainId}`]: rpcUrl,
      ...environment,
    }
  }
}

const abi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function positions(uint256 id) view returns (uint96, address, address, address, uint24, int24, int24, uint128, uint256, uint256, uint128, uint128)',
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(Single params) payable returns (uint256 amountOut)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

function readings({ devnet, wallet, chain, store, dataDir }) {
  const { amm, permit2 } = devnet.chain
  const dollars = devnet.tokens.filter(({ symbol }) => symbol === 'USDC' || symbol === 'DAI')
  const spenders = [amm.v3.swapRouter02, amm.v3.positionManager, amm.universalRouter.address, permit2]
  const read = (address, functionName, args) => chain.readContract({ address, abi, functionName, args })
  const addressOf = (symbol) => devnet.tokens.find((token) => token.symbol === symbol).address
  let isTraderReady = false

  return {
    nonce: () => chain.getTransactionCount({ address: wallet }),
    pendingNonce: () => chain.getTransactionCount({ address: wallet, blockTag: 'pending' }),
    /** What the ledger counts once blocks are deep, in millionths of a dollar: what left, and gas beside it. */
    async spent() {
      const usage = await store.ledger.usage('any', { sessionIdleMs: 60_000 })
      const { dailyUsdMicros, dailyGasUsdMicros, heldUsdMicros } = usage
      return { usdMicros: dailyUsdMicros - dailyGasUsdMicros - heldUsdMicros, gasUsdMicros: dailyGasUsdMicros }
    },
    audit: () => verifyAuditLog(dataDir),
    /** Allowances of those that a call must take back, as far as they are not zero. */
    async standing() {
      const pairs = dollars.flatMap(({ symbol, address }) => spenders.map((spender) => ({ symbol, address, spender })))
      const amounts = await Promise.all(
        pairs.map(({ address, spender }) => read(address, 'allowance', [wallet, spender])),
      )
      return pairs.filter((_, index) => amounts[index] !== 0n).map(({ symbol, spender }) => `${symbol} for ${spender}`)
    },
    allowance: (symbol, spender) => read(addressOf(symbol), 'allowance', [wallet, spender]),
    /** The newest position of the wallet that holds something, or `null`. */
    async position() {
      const manager = amm.v3.positionManager
      for (let index = (await read(manager, 'balanceOf', [wallet])) - 1n; index >= 0n; index -= 1n) {
        const id = await read(manager, 'tokenOfOwnerByIndex', [wallet, index])
        if ((await read(manager, 'positions', [id]))[7] > 0n) return `${id}`
      }
      return null
    },
    /** Somebody else's trades to and fro through the pool of the positions, so that they earn fees of both tokens. */
    async trade() {
      const trader = devnet.accounts[4].address
      const amounts = [
        ['DAI', 200_000n * 10n ** 18n],
        ['USDC', 200_000n * 10n ** 6n],
      ]
      if (!isTraderReady) {
        await devnet.fund(trader, { ETH: '100', DAI: '50000000', USDC: '50000000' })
        for (const [symbol] of amounts) await write(addressOf(symbol), 'approve', [amm.v3.swapRouter02, 2n ** 255n])
        isTraderReady = true
      }
      for (let turn = 0; turn < 25; turn += 1) {
        for (const [index, [symbol, amountIn]] of amounts.entries()) {
          const [tokenIn, tokenOut] = [addressOf(symbol), addressOf(amounts[1 - index][0])]
          const swap = {
            tokenIn,
            tokenOut,
            fee: 100,
            recipient: trader,
            amountIn,
            amountOutMinimum: 0n,
            sqrtPriceLimitX96: 0n,
          }
          await write(amm.v3.swapRouter02, 'exactInputSingle', [swap])
        }
      }

      async function write(to, functionName, args) {
        const data = encodeFunctionData({ abi, functionName, args })
        const sent = { from: trader, to, data, gas: toHex(1_000_000) }
        const { status } = await chain.request({ method: 'eth_sendTransactionSync', params: [sent] })
        if (status !== '0x1') throw new Error(`${functionName} of the trader reverted`)
      }
    },
    /** What the wallet's transactions of these nonces were, by journal and chain. */
    async transactions(from, to) {
      return Promise.all(Array.from({ length: Math.max(0, to - from) }, (_, index) => transactionAt(from + index)))
    },
    /** Whether everything that was ever offered to the endpoint is in the journal. */
    async unjournalled(raw) {
      const held = await Promise.all(raw.map(async (bytes) => store.journal.byHash(keccak256(bytes))))
      return raw.filter((_, index) => held[index] === null)
    },
    /**
     * How the local chain contradicts itself about the wallet's transactions from this nonce on, or `null`: a receipt of
     * one that its state does not count, or of a block it does not have.
     */
    async contradiction(from) {
      const next = (await store.journal.nextNonce(devnet.chainId, wallet)) ?? 0
      const count = await chain.getTransactionCount({ address: wallet })
      for (let nonce = from; nonce < next; nonce += 1) {
        for (const { hash } of await store.journal.byNonce(devnet.chainId, wallet, nonce)) {
          const receipt = await chain.getTransactionReceipt({ hash }).catch(() => null)
          if (receipt === null) continue
          const block = await chain.getBlock({ blockNumber: receipt.blockNumber }).catch(() => null)
          if (block?.hash !== receipt.blockHash) return `nonce ${nonce} has a receipt of a block that is gone`
          if (nonce >= count) return `nonce ${nonce} is in block ${receipt.blockNumber}, and ${count} are counted`
        }
      }
      return null
    },
    async isQuiet() {
      const [open, reserved, uncounted, pending] = await Promise.all([
        store.journal.open(devnet.chainId, wallet),
        store.ledger.open(),
        store.ledger.uncountedGas(devnet.chainId),
        chain.getTxpoolStatus().then(({ pending, queued }) => pending + queued),
      ])
      return open.length === 0 && reserved.length === 0 && uncounted.length === 0 && pending === 0
    },
  }

  async function transactionAt(nonce) {
    const attempts = await store.journal.byNonce(devnet.chainId, wallet, nonce)
    const seen = await Promise.all(
      attempts.map(async (entry) => ({
        entry,
        receipt: await chain.getTransactionReceipt({ hash: entry.hash }).catch(() => null),
      })),
    )
    const mined = seen.filter(({ receipt }) => receipt !== null)
    if (attempts.length === 0 && (await isDelegation(nonce))) {
      return { nonce, what: 'delegation', out: new Map(), gasWei: 0n }
    }
    if (mined.length !== 1) return { nonce, what: mined.length === 0 ? 'foreign' : 'twice', out: new Map(), gasWei: 0n }
    const [{ entry, receipt }] = mined
    const transaction = await chain.getTransaction({ hash: entry.hash })
    return {
      nonce,
      hash: entry.hash,
      state: entry.state,
      requestId: entry.requestId,
      ...kindOf(transaction, receipt),
      /** It takes liquidity out or puts it in. */
      moves: isSame(transaction.to, amm.v3.positionManager),
      mints: receipt.logs.some(isMint),
      gasWei: receipt.gasUsed * receipt.effectiveGasPrice,
      out: movedOut(receipt),
    }
  }

  /** Whether the transaction before carried a delegation of the wallet's own, which uses up the nonce after it. */
  async function isDelegation(nonce) {
    for (const { hash } of await store.journal.byNonce(devnet.chainId, wallet, nonce - 1)) {
      const { authorizationList = [] } = await chain.getTransaction({ hash }).catch(() => ({}))
      if (authorizationList.some((one) => Number(one.nonce) === nonce)) return true
    }
    return false
  }

  function kindOf({ input }, { status }) {
    if (status !== 'success') return { what: 'reverted' }
    if (!input.startsWith('0x095ea7b3')) return { what: 'main' }
    const [spender, amount] = decodeFunctionData({ abi, data: input }).args
    return { what: 'approve', spender, amount }
  }

  function isMint({ address, topics }) {
    const [event, from, to] = topics
    const isNft = topics.length === 4 && isSame(address, amm.v3.positionManager)
    return isNft && event === nftTransfer && BigInt(from) === 0n && isSame(`0x${to.slice(26)}`, wallet)
  }

  /** What left by token, in its smallest unit; negative when it came. */
  function movedOut({ logs }) {
    const moved = new Map()
    for (const { address, args } of parseEventLogs({ abi, eventName: 'Transfer', logs, strict: true })) {
      const token = dollars.find((one) => isSame(one.address, address))
      if (token === undefined) continue
      const out = (isSame(args.from, wallet) ? args.value : 0n) - (isSame(args.to, wallet) ? args.value : 0n)
      moved.set(token, (moved.get(token) ?? 0n) + out)
    }
    return moved
  }
}

/** Of the amounts with that sign, each rounded up. */
export function worthOf(sums, sign) {
  let usdMicros = 0n
  for (const [{ decimals }, amount] of sums) {
    const scale = 10n ** BigInt(decimals - 6)
    if (amount * sign > 0n) usdMicros += (amount * sign + scale - 1n) / scale
  }
  return usdMicros
}

/**
 * Worth of what left on balance, or of what came where a trade brought more, request by request as the ledger counts it; both
 * tokens are worth a dollar to it.
 */
export function worthUsdMicros(transactions) {
  const requests = new Map()
  for (const { requestId, out } of transactions) {
    const sums = requests.get(requestId) ?? new Map()
    for (const [token, amount] of out) sums.set(token, (sums.get(token) ?? 0n) + amount)
    requests.set(requestId, sums)
  }
  let usdMicros = 0n
  for (const sums of requests.values()) {
    const [left, came] = [worthOf(sums, 1n), worthOf(sums, -1n)]
    usdMicros += left > 0n && came > left ? came : left
  }
  return usdMicros
}

/**
 * Whether the gas in the ledger is that of the receipts at the price of the local chain's feed, 3,000 dollars for one ETH at
 * the high edge of its half percent, give or take another. Taking an
 * allowance back beside a mint is the least share of a call's gas, nearly four percent: left out or counted twice it shows.
 */
export function isGasOf(transactions, gasUsdMicros) {
  const wei = transactions.reduce((sum, transaction) => sum + transaction.gasWei, 0n)
  const at = (usd) => (wei * usd) / 10n ** 12n
  return gasUsdMicros >= at(2_985n) && gasUsdMicros <= at(3_031n) + BigInt(transactions.length)
}

const nftTransfer = toEventSelector('Transfer(address,address,uint256)')

const isSame = (one, other) => one.toLowerCase() === other.toLowerCase()
