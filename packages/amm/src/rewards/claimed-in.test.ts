import { type Address, encodeAbiParameters, encodeEventTopics, erc20Abi, type Log } from 'viem'
import { expect, test } from 'vitest'
import { claimedIn } from './create-rewards.ts'
import { rewardDistributorAbi } from '../abis/rewards.ts'

const [distributor, wallet, token, other] = [1, 2, 3, 4].map((digit): Address => `0x${`${digit}`.repeat(40)}`) as [
  Address,
  Address,
  Address,
  Address,
]

function claimed(of: Address, amount: bigint, by = distributor): Log {
  const topics = encodeEventTopics({
    abi: rewardDistributorAbi,
    eventName: 'Claimed',
    args: { user: wallet, token: of },
  })
  return { address: by, topics, data: encodeAbiParameters([{ type: 'uint256' }], [amount]) } as object as Log
}

function transferred(of: Address, to: Address, value: bigint): Log {
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from: distributor, to } })
  return { address: of, topics, data: encodeAbiParameters([{ type: 'uint256' }], [value]) } as object as Log
}

test('a distributor is believed no more than what arrived of each token', () => {
  const logs = [
    transferred(token, wallet, 70n),
    transferred(other, distributor, 900n),
    claimed(token, 50n),
    claimed(token, 50n),
    claimed(other, 900n),
    claimed(token, 9n, other),
  ]
  expect(claimedIn(logs, distributor, wallet)).toEqual([
    { token, amount: 50n },
    { token, amount: 20n },
    { token: other, amount: 0n },
  ])
})
