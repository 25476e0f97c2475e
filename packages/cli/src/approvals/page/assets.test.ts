import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { pageJs } from './assets.ts'

test('a list that was asked for before a decision does not come back after it, so one approval is one question', async () => {
  const lists: ((text: string) => void)[] = []
  const ticks: (() => void)[] = []
  const questions: string[] = []
  let click: (event: object) => Promise<void> = async () => {}
  const list = {
    innerHTML: 'one waits',
    querySelectorAll: () => [],
    addEventListener: (_: string, listener: typeof click) => void (click = listener),
  }
  runInNewContext(pageJs, {
    document: { getElementById: (id: string) => (id === 'list' ? list : {}), activeElement: null },
    confirm: (question: string) => questions.push(question) > 0,
    setInterval: (tick: () => void) => ticks.push(tick),
    fetch: async (path: string) => {
      if (path === '/decide') return { json: async () => ({ message: 'Approved.' }) }
      return { ok: true, status: 200, text: () => new Promise<string>((resolve) => lists.push(resolve)) }
    },
  })
  const button = { disabled: false, dataset: { word: 'approve', id: 'op-1', hash: '0x', question: 'Approve this?' } }
  ticks[1]?.()
  const decided = click({ target: { closest: () => button } })
  await expect.poll(() => lists.length).toBe(2)
  lists[1]?.('none waits')
  await decided
  lists[0]?.('one waits, asked before')
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect([questions, button.disabled, list.innerHTML]).toEqual([['Approve this?'], true, 'none waits'])
})
