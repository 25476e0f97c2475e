// Many v3 positions of one owner, minted in batches on the local chain by one of its public accounts.
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  http,
  maxUint256,
  parseAbi,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { mined } from './mined.mjs'

const perTransaction = 30

/** Each with a range of its own, so that no two share what is read of a range. Gives their owner and their ids. */
export async function mintPositions(devnet, count) {
  const account = privateKeyToAccount(devnet.accounts[0].privateKey)
  const chain = defineChain({ ...devnet.chain, rpcUrls: { default: { http: [devnet.rpcUrl] } } })
  const transport = http(devnet.rpcUrl)
  const wallet = createWalletClient({ account, chain, transport })
  const client = createPublicClient({ chain, transport })
  const { positionManager } = devnet.chain.amm.v3
  const pool = devnet.pools.find(({ label }) => label === 'WETH/USDC 0.05 %')
  const send = async (address, functionName, args) =>
    mined(client, await wallet.writeContract({ address, abi, functionName, args, gas: 25_000_000n }))
  for (const token of [pool.token0, pool.token1]) await send(token, 'approve', [positionManager, maxUint256])
  const [, tick] = await client.readContract({ address: pool.id, abi, functionName: 'slot0' })
  const middle = Math.round(tick / pool.tickSpacing) * pool.tickSpacing
  const mint = (_, index) => {
    const half = pool.tickSpacing * (10 + index)
    const range = { tickLower: middle - half, tickUpper: middle + half }
    const amounts = { amount0Desired: 10n ** 10n, amount1Desired: 10n ** 15n, amount0Min: 0n, amount1Min: 0n }
    const to = { recipient: account.address, deadline: maxUint256 }
    const { token0, token1, fee } = pool
    return encodeFunctionData({
      abi,
      functionName: 'mint',
      args: [{ token0, token1, fee, ...range, ...amounts, ...to }],
    })
  }
  const mints = Array.from({ length: count }, mint)
  for (let from = 0; from < count; from += perTransaction)
    await send(positionManager, 'multicall', [mints.slice(from, from + perTransaction)])
  const { address } = account
  const read = (index) =>
    client.readContract({
      address: positionManager,
      abi,
      functionName: 'tokenOfOwnerByIndex',
      args: [address, BigInt(index)],
    })
  const ids = []
  for (let from = 0; from < count; from += perTransaction) {
    const some = Array.from({ length: Math.min(perTransaction, count - from) }, (_, index) => read(from + index))
    ids.push(...(await Promise.all(some)).map(String))
  }
  return { owner: address, ids }
}

const abi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function multicall(bytes[] data) payable returns (bytes[])',
  'struct Mint { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function mint(Mint params) payable returns (uint256, uint128, uint256, uint256)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function slot0() view returns (uint160, int24 tick, uint16, uint16, uint16, uint8, bool)',
])
