import type { Claims, ClaimVerdict, NewClaim } from '@svc/store'
import { expect, test } from 'vitest'
import { createClaimDesk } from './claim-desk.ts'

test('claims that come while a commit is on its way share the next one, in their order', async () => {
  const commits: string[][] = []
  const desk = createClaimDesk({ make: gather(commits) }, [])
  const verdicts = await Promise.all(['a', 'b', 'c', 'd'].map((address) => desk.make(claimOf(address))))
  expect(commits).toEqual([['a'], ['b', 'c', 'd']])
  expect(verdicts.map((verdict) => verdict.status === 'made' && verdict.claim.address)).toEqual(['a', 'b', 'c', 'd'])
  await desk.make(claimOf('e'))
  expect(commits.at(-1)).toEqual(['e'])
})

test('a commit that fails fails its own claims only', async () => {
  const commits: string[][] = []
  const gathering = gather(commits)
  const desk = createClaimDesk(
    {
      make: (requests, caps) =>
        requests[0]?.address === 'bad' ? Promise.reject(new Error('away')) : gathering(requests, caps),
    },
    [],
  )
  const outcomes = await Promise.allSettled(['bad', 'good'].map((address) => desk.make(claimOf(address))))
  expect(outcomes).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled' }])
})

function gather(commits: string[][]): Claims['make'] {
  return async (requests) => {
    commits.push(requests.map(({ address }) => address))
    await Promise.resolve()
    return requests.map((request): ClaimVerdict => {
      const fresh = { id: request.address, state: 'queued', txHash: null, createdAt: 0, settledAt: null } as const
      return { status: 'made', claim: { ...request, ...fresh } }
    })
  }
}

function claimOf(address: string): NewClaim {
  return { chainId: 1, address, appId: 'app', network: '1', amountWei: 1n }
}
