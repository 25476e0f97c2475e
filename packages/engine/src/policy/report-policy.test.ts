import { expect, it } from 'vitest'
import { ToolError } from '@svc/amm'
import { parsePolicy } from './policy.ts'
import { reportPolicy } from './policy-source.ts'

const policy = parsePolicy({}, { production: false })
const file = '/data/policy.json'

/** A source that answers as told, and what the log heard of it. */
function reported() {
  const heard: (readonly [string, unknown])[] = []
  let answer: () => Promise<typeof policy> = async () => policy
  const hear = (event: string, facts?: unknown) => void heard.push([event, facts])
  const source = { started: policy, startedFromFile: true, latest: () => policy, current: () => answer() }
  const reporting = reportPolicy(source, { file, log: { warn: hear, error: hear } })
  const breaks = (written: unknown) => {
    answer = async () => {
      try {
        return parsePolicy(written, { production: false })
      } catch (cause) {
        throw new ToolError('POLICY_INVALID', 'The policy file is not valid.', { cause })
      }
    }
  }
  return { heard, breaks, current: () => reporting.current() }
}

it('tells once of each way a file is broken, and once that it is mended', async () => {
  const { heard, breaks, current } = reported()
  expect(await current()).toBe(policy)
  expect(heard).toEqual([])
  breaks({ limitsUsd: { daily: 5 } })
  for (const _ of [1, 2]) await expect(current()).rejects.toMatchObject({ code: 'POLICY_INVALID' })
  breaks({ recipients: { 8453: ['0x1'] }, version: 1, bogus: 1 })
  await expect(current()).rejects.toMatchObject({ code: 'POLICY_INVALID' })
  breaks({})
  for (const _ of [1, 2]) expect(await current()).toEqual(policy)
  expect(heard).toEqual([
    [
      'policy.invalid',
      expect.objectContaining({
        file,
        problems: ['limitsUsd.daily: accepted: decimal US dollars in quotes, such as "500" or "0.25"'],
        fix: expect.stringMatching(/See what is left with: svc policy check \/data\/policy\.json$/),
      }),
    ],
    [
      'policy.invalid',
      expect.objectContaining({
        problems: [
          'recipients.8453.0: accepted: a checksummed address',
          expect.stringContaining('bogus: there is no such member'),
        ],
      }),
    ],
    ['policy.mended', { file }],
  ])
})

it('names the version of a file of another one', async () => {
  const { heard, breaks, current } = reported()
  breaks({ version: 7 })
  await expect(current()).rejects.toThrow(ToolError)
  const problems = ['version: accepted: 1, the only version of the format that this server reads']
  expect(heard).toEqual([['policy.invalid', expect.objectContaining({ problems })]])
})
