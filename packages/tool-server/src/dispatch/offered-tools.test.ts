import { expect, it } from 'vitest'
import type { Tool } from '../tool.ts'
import { owner } from '../tools/chain-world.fixture.ts'
import { catalogue } from '../tools/index.ts'
import { createToolLists } from './offered-tools.ts'

it('makes no definition before a list is asked for, and each once for all lists', () => {
  const made: string[] = []
  const watched = (tool: Tool): Tool =>
    Object.defineProperty({ ...tool }, 'input', {
      get() {
        made.push(tool.name)
        return tool.input
      },
    })
  const tools = catalogue.slice(0, 3).map(watched)
  const list = createToolLists(tools)
  expect(made).toEqual([])
  const names = list(owner).tools.map(({ name }) => name)
  expect(list({ ...owner, tier: null, scopes: new Set() }).tools).toEqual([])
  expect(list(owner, true).tools.map(({ name }) => name)).toEqual(names)
  expect(made.toSorted()).toEqual(names)
})
