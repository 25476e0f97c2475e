import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createPendingRevocations, isWaiting, type PendingRevocation } from './pending-revocations.ts'

const one: PendingRevocation = {
  chainId: 1,
  owner: '0x00000000000000000000000000000000000000Aa',
  token: '0x0000000000000000000000000000000000001111',
  spender: '0x0000000000000000000000000000000000002222',
}
const two: PendingRevocation = { ...one, token: '0x0000000000000000000000000000000000003333' }

it('remembers across restarts, counts nothing twice, and forgets what is done', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'owed-'))
  await Promise.all([createPendingRevocations(dataDir).add([one]), Promise.resolve()])
  const pendingRevocations = createPendingRevocations(dataDir)
  await Promise.all([
    pendingRevocations.add([two, one]),
    pendingRevocations.add([{ ...two, token: two.token.toLowerCase() as `0x${string}` }]),
  ])
  expect(await createPendingRevocations(dataDir).list()).toEqual([one, two])
  await pendingRevocations.remove([one])
  expect(await pendingRevocations.list()).toEqual([two])
})

it('keeps what has ended apart from what is owed, across restarts, until it is removed or owed again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'owed-'))
  await createPendingRevocations(dataDir).add([one, two])
  await createPendingRevocations(dataDir).end([one, two], 7n)
  const pendingRevocations = createPendingRevocations(dataDir)
  expect([await pendingRevocations.list(), await pendingRevocations.ended()]).toEqual([
    [],
    [
      { ...one, endedIn: '7' },
      { ...two, endedIn: '7' },
    ],
  ])
  await pendingRevocations.add([one])
  await pendingRevocations.remove([two])
  expect([await pendingRevocations.list(), await pendingRevocations.ended()]).toEqual([[one], []])
  await pendingRevocations.end([two], 8n)
  expect(await pendingRevocations.ended()).toEqual([])
})

it('holds the right of one signature apart from that of another over the same position', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'owed-'))
  const pendingRevocations = createPendingRevocations(dataDir)
  const first = { ...one, position: { tokenId: '7', nonce: '0', deadline: 600 } }
  const later = { ...one, position: { ...first.position, deadline: 900 } }
  await pendingRevocations.add([one, first, later])
  await pendingRevocations.add([{ ...later, position: { ...later.position } }])
  expect(await createPendingRevocations(dataDir).list()).toEqual([one, first, later])
  await pendingRevocations.remove([first])
  expect(await pendingRevocations.list()).toEqual([one, later])
})

it('fails rather than forgets when its file makes no sense', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'owed-'))
  await writeFile(join(dataDir, 'owed-allowances.json'), '[{"chainId":1}]')
  await expect(createPendingRevocations(dataDir).list()).rejects.toThrow('makes no sense')
  await expect(createPendingRevocations(dataDir).add([one])).rejects.toThrow('makes no sense')
})

it('waits a minute after a failure that was mined, then twice as long each time up to a day, across restarts', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'owed-'))
  const pendingRevocations = createPendingRevocations(dataDir)
  await pendingRevocations.add([one, two])
  const waits: number[] = []
  for (let time = 0; time < 12; time += 1) {
    await pendingRevocations.failed(one, 1_000)
    const [after] = await createPendingRevocations(dataDir).list()
    const minutes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_440]
    waits.push(minutes.findIndex((wait) => !isWaiting(after!, 1_000 + wait * 60_000)))
    expect(isWaiting(after!, 999)).toBe(false)
  }
  expect(waits).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  await pendingRevocations.add([one])
  const [first, second] = await pendingRevocations.list()
  expect(first?.failed).toEqual({ times: 12, at: 1_000 })
  expect(second).toEqual(two)
  await pendingRevocations.remove([one])
  await pendingRevocations.failed(one, 2_000)
  expect(await pendingRevocations.list()).toEqual([two])
})
