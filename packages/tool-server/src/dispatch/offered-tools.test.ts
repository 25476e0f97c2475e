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
  expect(list(owner, { views: true }).tools.map(({ name }) => name)).toEqual(names)
  expect(made.toSorted()).toEqual(names)
})

it('shows what a tool may do by its icon, where icons are asked for', () => {
  const list = createToolLists(catalogue)
  const iconsOf = (...names: string[]) =>
    list(owner, { icons: true }).tools.flatMap(({ name, icons = [] }) => (names.includes(name) ? icons : []))
  const svgs = (...names: string[]) => new Set(iconsOf(...names).map(({ src }) => src))
  expect(svgs('get_quote', 'get_position', 'optimize_lp_range').size, 'reads').toBe(1)
  expect(svgs('collect_fees', 'cancel_operation').size, 'takes nothing away').toBe(1)
  expect(svgs('add_liquidity', 'execute_swap', 'execute_plan').size, 'may spend').toBe(1)
  expect(svgs('get_quote', 'collect_fees', 'execute_swap').size).toBe(3)
  expect(iconsOf(...catalogue.map(({ name }) => name))).toHaveLength(catalogue.length)
  expect(JSON.stringify(list(owner).tools)).not.toContain('data:image')
})
