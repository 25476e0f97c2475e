import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import type { Principal } from '@svc/engine'
import { scopes } from '@svc/engine'
import { createOfferedTools, listTool } from '../dispatch/offered-tools.ts'
import { codeOf } from '../guides/code-of.fixture.ts'
import { catalogue } from '../tools/index.ts'
import { inEveryToolset, isInToolsets, type Toolset, toolsetNames, toolsets } from './toolsets.ts'

const names = catalogue.map(({ name }) => name)
const writer: Principal = { id: 'w', stage: 'local', tier: null, scopes: new Set(scopes), expiresAt: null }

describe('the toolsets', () => {
  it('hold each tool of the catalogue once, or all of them do', () => {
    const placed = [...inEveryToolset, ...toolsetNames.flatMap((name) => toolsets[name])]
    expect(placed.toSorted()).toEqual(names.toSorted())
    expect(Object.keys(toolsets)).toEqual(toolsetNames)
  })

  it.each(toolsetNames)('%s fits into 8,000 tokens with what stands in all', (name) => {
    const listed = createOfferedTools(catalogue, 'full', [], [name]).list(writer).json
    expect(countTokens(listed)).toBeLessThanOrEqual(8_000)
  })

  it('leave out, and never add: a list is what profile, rights and sets have in common', () => {
    const list = (profile: 'data' | 'full', offered: readonly Toolset[] | null, principal = writer) =>
      createOfferedTools(catalogue, profile, [], offered)
        .list(principal)
        .tools.map(({ name }) => name)
    const reader: Principal = { ...writer, scopes: new Set(['read:market']) }
    for (const profile of ['data', 'full'] as const) {
      for (const principal of [writer, reader]) {
        for (const offered of [['trade'], ['market', 'wallet'], toolsetNames] as const) {
          const whole = list(profile, null, principal)
          const expected = whole.filter((name) => offered.some((set) => isInToolsets(name, [set])))
          expect(list(profile, offered, principal)).toEqual(expected)
        }
      }
    }
    expect(list('full', toolsetNames)).toEqual(names)
    expect(list('full', ['trade'])).toEqual([...inEveryToolset, ...toolsets.trade].toSorted())
    expect(list('data', ['trade'])).not.toContain('execute_swap')
  })

  it('have a tool outside of them refused as one outside of the profile, with where it could be had', () => {
    const offered = createOfferedTools(catalogue, 'full', [], ['market', 'trade'])
    expect(offered.require('get_quote').name).toBe('get_quote')
    expect(offered.isOpenTo(writer, 'vault_deposit')).toBe(false)
    expect(offered.has('vault_deposit')).toBe(true)
    expect(codeOf(() => offered.require('vault_deposit'))).toBe('TOOL_NOT_IN_PROFILE')
    expect(() => offered.require('vault_deposit')).toThrow(
      'vault_deposit is not part of the toolsets that this server offers: market, trade.',
    )
    const data = createOfferedTools(catalogue, 'data', [], ['market'])
    expect(() => data.require('vault_deposit')).toThrow('vault_deposit is not part of the profile "data".')
  })

  it('have no tool that no definition has', () => {
    expect(isInToolsets('burn_funds', toolsetNames)).toBe(false)
    expect(isInToolsets('burn_funds', null)).toBe(true)
    expect(listTool(catalogue[0]!)).not.toHaveProperty('toolset')
  })
})
