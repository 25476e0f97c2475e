import type { Address, Hex } from 'viem'

/** Deployments and code hashes that are the same wherever nothing else is said. */
export const canonical: {
  readonly permit2: Address
  readonly multicall3: Address
  readonly rewardDistributor: Address
  readonly pairInitCodeHash: Hex
  readonly poolInitCodeHash: Hex
} = {
  permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
  multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  rewardDistributor: '0x3Ef3D8bA38EBe18DB133cEc108f4D14CE00Dd9Ae',
  pairInitCodeHash: '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
  poolInitCodeHash: '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
}
