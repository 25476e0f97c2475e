// What is done to liquidity on v2 by the router's own functions, called bare: the vendor's SDK builds no calldata of these.
import { createWalletClient, encodeFunctionData, erc20Abi, formatUnits, http, parseAbi, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { gasOf } from './side-by-side.mjs'
import { mined } from './mined.mjs'

const reference = "the router's own function"
const input = { version: 'v2', token0: 'WETH', token1: 'USDC', amount0: '1' }

export function v2Add({ devnet }) {
  return {
    name: 'v2 add_liquidity',
    prepare: async () => input,
    async ours(world, args) {
      const answer = await world.call('add_liquidity', args)
      const [amount0, amount1] = [0, 1].map((side) => answer.text(`amount${side}Deposited`))
      return {
        effect: { amount0, amount1, shares: await sharesOf(world, devnet) },
        gas: await gasOf(world, [answer.text('txHash')]),
      }
    },
    async theirs(world, _args, [{ effect }]) {
      const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
      const amounts = [parseUnits(effect.amount0, 18), parseUnits(effect.amount1, 6)]
      const send = sender(world, devnet)
      for (const [side, token] of [weth, usdc].entries()) await send.approve(token, amounts[side])
      const least = amounts.map((amount) => (amount * 995n) / 1_000n)
      const hash = await send.router('addLiquidity', [weth, usdc, ...amounts, ...least, world.wallet, deadline()])
      return { effect: { ...effect, shares: await sharesOf(world, devnet) }, gas: await gasOf(world, [hash]) }
    },
    reference,
  }
}

export function v2Remove({ devnet }) {
  return {
    name: 'v2 remove_liquidity',
    prepare: async (_, world) => ({
      version: 'v2',
      positionId: (await world.call('add_liquidity', input)).text('positionId'),
    }),
    async ours(world, args) {
      const answer = await world.call('remove_liquidity', args)
      const [amount0, amount1] = [0, 1].map((side) => answer.text(`amount${side}Received`))
      return { effect: { amount0, amount1 }, gas: await gasOf(world, [answer.text('txHash')]), answer }
    },
    async theirs(world, _args, [{ effect, answer }]) {
      const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
      const shares = BigInt(await sharesOf(world, devnet))
      const send = sender(world, devnet)
      await send.approve(pairOf(devnet), shares)
      const before = await Promise.all([weth, usdc].map((token) => world.balance(token)))
      const sides = [effect.amount0, effect.amount1]
      const inWeth = answer.text('token0Symbol') === 'WETH' ? sides : sides.toReversed()
      const least = [parseUnits(inWeth[0], 18), parseUnits(inWeth[1], 6)].map((amount) => (amount * 995n) / 1_000n)
      const hash = await send.router('removeLiquidity', [weth, usdc, shares, ...least, world.wallet, deadline()])
      const after = await Promise.all([weth, usdc].map((token) => world.balance(token)))
      const came = [formatUnits(after[0] - before[0], 18), formatUnits(after[1] - before[1], 6)]
      const [amount0, amount1] = inWeth === sides ? came : came.toReversed()
      return { effect: { amount0, amount1 }, gas: await gasOf(world, [hash]) }
    },
    reference,
  }
}

function pairOf({ pools, tokens }) {
  const named = new Set(['WETH', 'USDC'].map((symbol) => tokens.find((token) => token.symbol === symbol).address))
  return pools.find(({ version, token0, token1 }) => version === 'v2' && named.has(token0) && named.has(token1)).id
}

async function sharesOf(world, devnet) {
  return String(await world.balance(pairOf(devnet)))
}

function sender(world, devnet) {
  const account = privateKeyToAccount(world.again.privateKey)
  const wallet = createWalletClient({ account, chain: null, transport: http(devnet.rpcUrl) })
  const { router } = devnet.chain.amm.v2
  const send = async (to, abi, functionName, args) => {
    const data = encodeFunctionData({ abi, functionName, args })
    const hash = await wallet.sendTransaction({ to, data, gas: 1_000_000n })
    await mined(world.client, hash)
    return hash
  }
  return {
    approve: (token, amount) => send(token, erc20Abi, 'approve', [router, amount]),
    router: (functionName, args) => send(router, routerAbi, functionName, args),
  }
}

const deadline = () => BigInt(Math.floor(Date.now() / 1_000) + 600)

const routerAbi = parseAbi([
  'function addLiquidity(address a, address b, uint256 desiredA, uint256 desiredB, uint256 minA, uint256 minB, address to, uint256 deadline)',
  'function removeLiquidity(address a, address b, uint256 liquidity, uint256 minA, uint256 minB, address to, uint256 deadline)',
])
