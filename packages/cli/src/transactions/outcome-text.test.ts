import { expect, it } from 'vitest'
import { outcomeText } from './list.ts'

const asked = { what: 'cancel', by: 'operator:ann', at: 'noon', outcome: null } as const

it.each([
  ['broadcast', 'it has not ended'],
  ['mined', 'it has not ended'],
  ['replaced', 'never mined, replaced, which is being put on record'],
  ['final', 'mined, which is being put on record'],
] as const)('says of a request without an end, the transaction being %s: %s', (state, text) => {
  expect(outcomeText(asked, null, state)).toBe(`cancellation asked by operator:ann at noon; ${text}`)
})
