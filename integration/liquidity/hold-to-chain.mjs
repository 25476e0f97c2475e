// What a result says, held against the chain: what the wallet has of every token before and after each transaction, which
// transactions it sent, and what their gas cost. Nothing of it is read through the product.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, formatUnits, http, parseAbi, parseUnits, zeroAddress } from 'viem'

/** Calls of a client in a world, each held against the chain; `calls` and `amounts` count, `failures` are sentences. */
export async function holdToChain({ ready, dataDir }, client) {
  const chain = createPublicClient({ transport: http(ready.rpc.url, { batch: true }), cacheTime: 0 })
  const [row] = JSON.parse(readFileSync(join(dataDir, 'chains.json'), 'utf8'))
  const wallet = ready.wallet.address
  const tokens = [...ready.tokens, { symbol: 'ETH', address: zeroAddress, decimals: 18 }]
  const bySymbol = new Map(tokens.map((token) => [token.symbol, token]))
  const read = (address, functionName, args = [], blockNumber) =>
    chain.readContract({ address, abi, functionName, args, ...(blockNumber === undefined ? {} : { blockNumber }) })
  const calls = new Map()
  const codes = new Set()
  const failures = []
  const held = {
    ready,
    row,
    chain,
    read,
    wallet,
    calls,
    codes,
    failures,
    amounts: 0,
    async mine(blocks) {
      for (let count = 0; count < blocks; count += 1) await chain.request({ method: 'evm_mine', params: [] })
    },
    /** A call that must answer. */
    async ask(name, input) {
      calls.set(name, (calls.get(name) ?? 0) + 1)
      for (let tries = 1; ; tries += 1) {
        const { result, refusal } = await client.call(name, { chain: 'local', ...input })
        if (result !== undefined) return result
        if (refusal.retryable !== true || tries === 5)
          throw new Error(`${name} ${JSON.stringify(input)}: ${refusal.code}: ${refusal.message}`)
      }
    },
    /** A call that must be refused by this code, has sent nothing unless said otherwise, and hears what to call next. */
    async refused(name, input, code, { sends = false } = {}) {
      calls.set(name, (calls.get(name) ?? 0) + 1)
      const before = await nonce()
      const { refusal } = await client.call(name, { chain: 'local', ...input })
      held.agree(`${name} is refused`, refusal?.code, code)
      held.agree(`${name} sends something`, (await nonce()) > before, sends)
      const { message = '', suggestion = '' } = refusal ?? {}
      const isNamed = client.tools.some((tool) => suggestion.includes(tool)) || /\bcall again\b/i.test(suggestion)
      held.agree(`${name}, ${code}: "${message} ${suggestion}" names the next call`, isNamed, true)
      if (refusal?.code === code) codes.add(`${name} ${code}`)
    },
    /**
     * A write that must be done. `expected` are the movements of its result, `{ symbol, amount, hash }`: with a hash those of that
     * transaction. `isRest` says that some other of its transactions moves funds, too.
     */
    async write(name, input, expected, { isRest = false } = {}) {
      const before = { nonce: await nonce(), block: await chain.getBlockNumber(), balances: await balances() }
      const result = await held.ask(name, input)
      const label = `${name} ${input.version ?? ''} ${result.txHash}`
      const sent = await transactionsSince(before.block)
      held.agree(
        `${label}: its transactions`,
        result.transactions,
        sent.map(({ hash }) => hash),
      )
      // A delegation that the wallet signs for itself counts as well.
      const counted = sent.reduce((sum, { delegations }) => sum + 1 + delegations, before.nonce)
      held.agree(`${label}: how many the chain counts`, counted, await nonce())
      const gasWei = sent.reduce((sum, transaction) => sum + transaction.gasWei, 0n)
      const moves = difference(before.balances, await balances(), gasWei)
      const named = expected(result, moves)
      for (const transaction of sent) {
        const own = named.filter(({ hash }) => hash === transaction.hash)
        if (own.length > 0) moved(`${label}: ${transaction.hash}`, transaction.moves, own)
        else if (!isRest && named.every(({ hash }) => hash !== undefined))
          moved(`${label}: ${transaction.hash} prepares`, transaction.moves, [])
      }
      if (!isRest) moved(label, moves, named)
      await gasAgrees(label, result.gasCostUsd, gasWei)
      return result
    },
    agree(what, said, onChain) {
      held.amounts += 1
      try {
        assert.deepEqual(said, onChain)
      } catch {
        failures.push(`${what}: the result says ${print(said)}, the chain ${print(onChain)}`)
      }
    },
    units: (amount, symbol) => parseUnits(amount, bySymbol.get(symbol).decimals),
    text: (amount, symbol) => formatUnits(amount, bySymbol.get(symbol).decimals),
    /** No allowance of the wallet stands when all is done. */
    async nothingStands() {
      const { v2, v3, v4, universalRouter } = row.amm
      const spenders = [
        v2.router,
        v3.swapRouter02,
        v3.positionManager,
        v4.positionManager,
        universalRouter.address,
        row.permit2,
      ]
      for (const token of tokens.filter(({ address }) => address !== zeroAddress)) {
        const left = await Promise.all(spenders.map((spender) => read(token.address, 'allowance', [wallet, spender])))
        held.agree(
          `allowances of ${token.symbol}`,
          left,
          spenders.map(() => 0n),
        )
      }
    },
  }
  return held

  async function nonce() {
    return chain.getTransactionCount({ address: wallet })
  }

  async function balances(blockNumber) {
    const at = blockNumber === undefined ? {} : { blockNumber }
    const amounts = await Promise.all(
      tokens.map(({ address }) =>
        address === zeroAddress
          ? chain.getBalance({ address: wallet, ...at })
          : read(address, 'balanceOf', [wallet], blockNumber),
      ),
    )
    return new Map(tokens.map(({ symbol }, index) => [symbol, amounts[index]]))
  }

  /** Every transaction of the wallet in the blocks since, in their order. */
  async function transactionsSince(block) {
    const head = await chain.getBlockNumber()
    const numbers = Array.from({ length: Number(head - block) }, (_, index) => block + BigInt(index) + 1n)
    const blocks = await Promise.all(
      numbers.map((blockNumber) => chain.getBlock({ blockNumber, includeTransactions: true })),
    )
    const own = blocks.flatMap(({ transactions }) => transactions.filter(({ from }) => isSame(from, wallet)))
    return Promise.all(
      own.map(async ({ hash, blockNumber, authorizationList = [] }) => {
        const receipt = await chain.getTransactionReceipt({ hash })
        held.agree(`status of ${hash}`, receipt.status, 'success')
        const gasWei = receipt.gasUsed * receipt.effectiveGasPrice
        const [before, after] = await Promise.all([balances(blockNumber - 1n), balances(blockNumber)])
        return { hash, gasWei, delegations: authorizationList.length, moves: difference(before, after, gasWei) }
      }),
    )
  }

  function difference(before, after, gasWei) {
    return new Map(
      tokens.map(({ symbol }) => [symbol, after.get(symbol) - before.get(symbol) + (symbol === 'ETH' ? gasWei : 0n)]),
    )
  }

  /** Of every token, also of those that no member of the result is about. */
  function moved(label, moves, expected) {
    for (const { symbol, decimals } of tokens) {
      const said = expected
        .filter((one) => one.symbol === symbol)
        .reduce((sum, { amount }) => sum + parseUnits(amount, decimals), 0n)
      held.agree(`${label}: ${symbol}`, formatUnits(said, decimals), formatUnits(moves.get(symbol), decimals))
    }
  }

  /** In dollars at the price of the feed, give or take its deviation. */
  async function gasAgrees(label, gasCostUsd, gasWei) {
    const { feed } = row.wrappedNative.priceSources
    const [, answer] = await read(feed.address, 'latestRoundData')
    const usd = Number(formatUnits(gasWei, 18)) * Number(formatUnits(answer, feed.decimals))
    const isClose = Math.abs(gasCostUsd / usd - 1) <= (2 * feed.deviationBps) / 10_000
    held.agree(`${label}: gas of ${gasCostUsd} USD, ${usd} by the receipts`, isClose, true)
  }
}

const abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function positions(uint256 id) view returns (uint96, address, address, address, uint24, int24, int24, uint128, uint256, uint256, uint128, uint128)',
  'function getPositionLiquidity(uint256 id) view returns (uint128)',
  'function getPoolAndPositionInfo(uint256 id) view returns ((address, address, uint24, int24, address), uint256)',
  'function ownerOf(uint256 id) view returns (address)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)',
  'function getSlot0(bytes32 id) view returns (uint160 sqrtPriceX96, int24 tick, uint24, uint24)',
  'function totalAssets() view returns (uint256)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function previewDeposit(uint256 assets) view returns (uint256)',
  'function claimed(address user, address token) view returns (uint208, uint48, bytes32)',
])

function isSame(one, other) {
  return one.toLowerCase() === other.toLowerCase()
}

function print(value) {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? `${member}` : member))
}
