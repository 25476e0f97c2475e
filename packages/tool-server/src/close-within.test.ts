import { expect, it } from 'vitest'
import { closeWithin } from './run-server.ts'

it('what closes in time is waited for, and what does not is given up', async () => {
  const said: string[] = []
  const giveUp = (name: string) => () => void said.push(name)
  await closeWithin(60_000, async () => {}, giveUp('in time'))
  await expect(closeWithin(60_000, () => Promise.reject(new Error('broken')), giveUp('failed'))).rejects.toThrow(
    'broken',
  )
  await new Promise<void>((resolve) => {
    void closeWithin(
      1,
      () => new Promise(() => {}),
      () => (giveUp('hangs')(), resolve()),
    )
  })
  expect(said).toEqual(['hangs'])
})
