import type { Devnet } from '@svc/devnet'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { type Address, parseAbi, parseUnits } from 'viem'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import type { World } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { testClient } from './attack-kit.fixture.ts'

/**
 * Gift.sol: asked before liquidity is removed, it sends `gift` to the wallet and burns `waste` of gas where the gas price is 0, as in
 * a simulation; on the chain it takes all gas (mode 1), burns `waste` (mode 2) or does nothing (mode 0).
 */
const giftCreation =
  '0x6080604052348015600e575f5ffd5b506102a48061001c5f395ff3fe608060405234801561000f575f5ffd5b5060043610610034575f3560e01c806344df8e7014610192578063e426dbb314610199575b3a5f0361011957600254156100be575f5460015460025460405163a9059cbb60e01b81526001600160a01b039283166004820152602481019190915291169063a9059cbb906044016020604051808303815f875af1158015610098573d5f5f3e3d5ffd5b505050506040513d601f19601f820116820180604052508101906100bc91906101e4565b505b6003541561011457306001600160a01b03166344df8e706003546040518263ffffffff1660e01b81526004015f6040518083038187803b158015610100575f5ffd5b5086fa93505050508015610112575060015b505b610185565b60045460010361012557fe5b600454600203610185576003541561018557306001600160a01b03166344df8e706003546040518263ffffffff1660e01b81526004015f6040518083038187803b158015610171575f5ffd5b5086fa93505050508015610183575060015b505b5f5f5260045f5f3760205ff35b610197fe5b005b6101976101a7366004610225565b5f80546001600160a01b039687166001600160a01b0319918216179091556001805495909616941693909317909355600255600391909155600455565b5f602082840312156101f4575f5ffd5b81518015158114610203575f5ffd5b9392505050565b80356001600160a01b0381168114610220575f5ffd5b919050565b5f5f5f5f5f60a08688031215610239575f5ffd5b6102428661020a565b94506102506020870161020a565b9497949650505050604083013592606081013592608090910135915056fea2646970667358221220aed6af515264a95209b7e1906eeed6364cec1eb272bd2fee160dc1ef19d86ceb64736f6c634300081c0033'

const nftAbi = parseAbi(['function transferFrom(address from, address to, uint256 id)'])
const giftAbi = parseAbi(['function set(address t, address w, uint256 g, uint256 b, uint256 m)'])

/**
 * A v4 position that a stranger gives to the wallet, in a pool with such a hook. A real stranger mines the salt of CREATE2 for
 * fourteen bits of its address.
 */
export async function openGift(
  devnet: Devnet,
  world: World,
  stranger: ChainActor,
  is: { readonly giftUsd: string; readonly waste: bigint; readonly mode: number },
): Promise<{ readonly positionId: bigint; readonly hook: Address }> {
  const hook: Address = '0x00000000000000000000000000000000ab000200'
  const node = testClient(devnet)
  const runtime = `0x${giftCreation.slice(giftCreation.indexOf('f3fe') + 4)}` as const
  await node.setCode({ address: hook, bytecode: runtime })
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  await devnet.fund(hook, { USDC: is.giftUsd })
  const key = v4Key(weth, usdc, 3_000, 60, hook)
  const isWethFirst = key.currency0 === weth
  await stranger.initializeV4(
    key,
    isWethFirst ? sqrtPriceFromPrice('3000', 18, 6) : sqrtPriceFromPrice((1 / 3_000).toFixed(18), 6, 18),
  )
  const positionId = await stranger.mintV4(key, -887_220, 887_220, 10n ** 10n)
  // Fees of both tokens: only what the call names is priced.
  await stranger.swapV4(key, isWethFirst, parseUnits('0.0001', 18))
  await stranger.swapV4(key, !isWethFirst, parseUnits('0.2', 6))
  await giveV4(world, stranger, positionId)
  await stranger.write(hook, giftAbi, 'set', [usdc, world.wallet, parseUnits(is.giftUsd, 6), is.waste, BigInt(is.mode)])
  return { positionId, hook }
}

export async function giveV4(world: World, stranger: ChainActor, positionId: bigint): Promise<void> {
  const { positionManager } = world.chain.amm.v4!
  await stranger.write(positionManager, nftAbi, 'transferFrom', [stranger.address, world.wallet, positionId])
}

/** A full range v3 position of the owner's own money that was put there by hand. */
export async function ownersPosition(
  world: World,
  hand: ChainActor,
  fee: number,
  sums: { readonly WETH: string; readonly USDC: string },
): Promise<string> {
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const isFirst = BigInt(weth) < BigInt(usdc)
  const [token0, token1] = isFirst ? [weth, usdc] : [usdc, weth]
  const [w, u] = [parseUnits(sums.WETH, 18), parseUnits(sums.USDC, 6)]
  const most = fee === 100 ? 887_272 : fee === 500 ? 887_270 : 887_220
  const id = await hand.mintV3({
    token0,
    token1,
    fee,
    tickLower: -most,
    tickUpper: most,
    amount0Desired: isFirst ? w : u,
    amount1Desired: isFirst ? u : w,
  })
  await hand.write(world.chain.amm.v3!.positionManager, nftAbi, 'transferFrom', [hand.address, world.wallet, id])
  return `${id}`
}

export async function setBaseFee(devnet: Devnet, baseFeePerGas: bigint): Promise<void> {
  const node = testClient(devnet)
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas })
  await node.mine({ blocks: 1 })
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas })
}
