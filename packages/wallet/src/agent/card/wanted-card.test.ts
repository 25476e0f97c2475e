import { expect, test } from 'vitest'
import { parseAgentFile } from '../lookup/read-agent-file.ts'
import { registrationFile } from './registration-file.ts'
import { buildAgentCard } from './build-agent-card.ts'
import { wantedCard } from './wanted-card.ts'

const card = buildAgentCard({ role: 'vault_manager', name: 'Ada' }, 8453)

/** What an update makes of a registration file that says this besides. */
function updated(change: (file: ReturnType<typeof registrationFile>) => object) {
  const bytes = new TextEncoder().encode(JSON.stringify(change(registrationFile(card))))
  return wantedCard({ metadata: {} }, { status: 'inline', ...parseAgentFile(bytes) }, { description: 'new' }, 8453)
}

test('a file that says no more than a card is kept but for what changes', () => {
  const { current, wanted, warnings } = updated((file) => file)
  expect(wanted).toEqual({ ...current, description: 'new' })
  expect(warnings).toEqual([])
})

test.each([
  ['metadata', { metadata: { ...card.metadata, count: 7 } }],
  ['skills', { skills: ['trade'] }],
  ['x402Support', { x402Support: true }],
  ['active', { active: false }],
  ['supportedTrust', { supportedTrust: ['oracle'] }],
  ['services', { services: [{ name: 'web', endpoint: 'https://a.example' }] }],
])('one that says more, in %s, is not written over', (member, more) => {
  const refused = expect.objectContaining({
    code: 'AGENT_FILE_NOT_KEPT',
    details: { fileStatus: 'inline', members: expect.arrayContaining([member]) },
  })
  expect(() => updated((file) => ({ ...file, ...more }))).toThrow(refused)
})
