import { afterEach, expect, it } from 'vitest'
import { openDirectory, planHash } from './operations.fixture.ts'
import { readList } from './read-list.ts'
import { htmlText } from './html.ts'
import { listView } from './operations-view.ts'

const opened: Awaited<ReturnType<typeof openDirectory>>[] = []
afterEach(async () => {
  for (const { store } of opened.splice(0)) await store.close()
})

async function open(...operations: Parameters<typeof openDirectory>[0] & object) {
  const directory = await openDirectory(operations)
  opened.push(directory)
  return directory
}

const many = Array.from({ length: 25 }, (_, index) => ({ id: `many-${index}`, principalId: 'many' }))

it('shows callers in turns, those that wait longest first, and counts what it leaves out of each', async () => {
  const executeAfter = Date.now() + 3_600_000
  const scheduled = { state: 'scheduled', expiresAt: null, executeAfter } as const
  const later = Array.from({ length: 22 }, (_, index) => ({ id: `later-${index}`, principalId: 'many', ...scheduled }))
  const { operations } = await open(
    ...many,
    ...later,
    { id: 'few', principalId: 'few' },
    { id: 'few later', principalId: 'few', ...scheduled },
    { id: 'plan', state: 'planned', principalId: 'few' },
  )
  const { operations: shown, more } = await readList(operations, { all: true })
  expect(shown.slice(0, 3).map(({ id }) => id)).toEqual(['many-0', 'few', 'many-1'])
  expect(shown.slice(21, 24).map(({ id }) => id)).toEqual(['later-0', 'few later', 'later-1'])
  expect(shown).toHaveLength(42)
  expect(more).toEqual([
    { which: 'awaiting', caller: 'many', count: 5 },
    { which: 'coming', caller: 'many', count: 2 },
  ])
  const own = await readList(operations, { all: false, caller: 'many' })
  expect([own.operations.length, own.more]).toEqual([47, []])
})

it('shows what has ended newest first, and of each caller the newest', async () => {
  const { operations } = await open({ id: 'first', principalId: 'few' }, ...many, { id: 'last', principalId: 'few' })
  for (const id of ['first', ...many.map((one) => one.id), 'last']) {
    await operations.decide(id, { approved: false, by: 'operator:test', planHash })
  }
  const { operations: shown, more } = await readList(operations, { all: true })
  expect(shown).toHaveLength(22)
  expect(shown.map(({ id }) => id)).toEqual(expect.arrayContaining(['first', 'last', 'many-24', 'many-5']))
  expect(shown.map(({ createdAt }) => createdAt)).toEqual(
    shown.map(({ createdAt }) => createdAt).toSorted((one, other) => other - one),
  )
  expect(more).toEqual([{ which: 'ended', caller: 'many', count: 5 }])
})

it('says on the page how many there are in all, and whose are left out', async () => {
  const { operations } = await open(...many, { id: 'few', principalId: 'few' })
  const page = htmlText(listView(await readList(operations, { all: true }), Date.now()))
  expect(page).toContain('Awaiting a decision: 26')
  expect(page).toContain('and 5 more of many that await a decision')
  expect(page.match(/data-word="approve"/g)).toHaveLength(21)
})
