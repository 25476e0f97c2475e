import type { Claims, ClaimVerdict, NewClaim } from '@svc/store'
import { expect, test } from 'vitest'
import { createClaimDesk } from './claim-desk.ts'

test('claims that come while a commit is on its way share the next one, in their order', async () => {
  const commits: string[][] = []
  const desk = createClaimDesk({ make: gather(commits), findAll: noneOf }, [])
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
      findAll: noneOf,
      make: (requests, caps) =>
        requests[0]?.address === 'bad' ? Promise.reject(new Error('away')) : gathering(requests, caps),
    },
    [],
  )
  const outcomes = await Promise.allSettled(['bad', 'good'].map((address) => desk.make(claimOf(address))))
  expect(outcomes).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled' }])
})

test('those who look for claims at one time share a look', async () => {
  const looks: number[] = []
  const findAll: Claims['findAll'] = async (slots) => {
    looks.push(slots.length)
    return slots.map((slot) => (slot.address === 'b' ? { ...claimOf('b'), ...fresh, id: 'b' } : null))
  }
  const desk = createClaimDesk({ make: gather([]), findAll }, [])
  const found = await Promise.all(['a', 'b', 'c'].map((address) => desk.find({ chainId: 1, address })))
  expect(found.map((claim) => claim?.id ?? null)).toEqual([null, 'b', null])
  expect(looks).toEqual([1, 2])
})

const fresh = { state: 'queued', txHash: null, createdAt: 0, settledAt: null } as const

const noneOf: Claims['findAll'] = async (slots) => slots.map(() => null)

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
