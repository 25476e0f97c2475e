import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createOwedAllowances, type OwedAllowance } from './owed-allowances.ts'

const one: OwedAllowance = {
  chainId: 1,
  owner: '0x00000000000000000000000000000000000000Aa',
  token: '0x0000000000000000000000000000000000001111',
  spender: '0x0000000000000000000000000000000000002222',
}
const two: OwedAllowance = { ...one, token: '0x0000000000000000000000000000000000003333' }

it('remembers across restarts, counts nothing twice, and forgets what is done', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'owed-'))
  await Promise.all([createOwedAllowances(dataDir).add([one]), Promise.resolve()])
  const owed = createOwedAllowances(dataDir)
  await Promise.all([owed.add([two, one]), owed.add([{ ...two, token: two.token.toLowerCase() as `0x${string}` }])])
  expect(await createOwedAllowances(dataDir).list()).toEqual([one, two])
  await owed.remove([one])
  expect(await owed.list()).toEqual([two])
})

it('fails rather than forgets when its file makes no sense', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'owed-'))
  await writeFile(join(dataDir, 'owed-allowances.json'), '[{"chainId":1}]')
  await expect(createOwedAllowances(dataDir).list()).rejects.toThrow('makes no sense')
  await expect(createOwedAllowances(dataDir).add([one])).rejects.toThrow('makes no sense')
})
