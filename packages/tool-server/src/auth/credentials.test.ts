import { expect, it } from 'vitest'
import { apiKeyStage, bearerStage, isInForce } from './credentials.ts'
import { localPrincipal } from '../transports/stdio.ts'
import type { Principal } from '@svc/engine'
import type { Stage } from './authenticate.ts'

const token = 'a-token-of-more-than-thirty-two-characters'
const keys = { read: 'svc_read_1', feedback: 'svc_feedback_1', write: 'svc_write_1' }
const credentials = { apiKeys: Object.values(keys), token }

/** Who the stage itself says it is. */
async function whoHolds(stage: Stage, bearer: string): Promise<Principal> {
  const outcome = await stage({ bearer, headers: {} })
  if (outcome === null || 'refused' in outcome) throw new Error('The stage does not know the credentials.')
  return outcome
}

it('knows every key and the token that the stages take, and none that was replaced', async () => {
  const writer = await whoHolds(apiKeyStage(keys), keys.write)
  const holder = await whoHolds(bearerStage(token), token)
  for (const one of [writer, holder]) expect(isInForce(one, credentials)).toBe(true)
  expect(isInForce(writer, { ...credentials, apiKeys: ['svc_read_1', 'svc_write_2'] })).toBe(false)
  expect(isInForce(holder, { ...credentials, token: `${token}2` })).toBe(false)
  expect(isInForce(holder, { ...credentials, token: null })).toBe(false)
})

it('knows nobody of a tier whose key is missing', async () => {
  const stage = apiKeyStage({ ...keys, write: undefined })
  expect(await stage({ bearer: keys.write, headers: {} })).toHaveProperty('refused')
  expect(await stage({ bearer: 'svc_undefined', headers: {} })).toHaveProperty('refused')
  expect(await whoHolds(stage, keys.read)).toMatchObject({ tier: 'read' })
})

it('asks nothing of whoever starts the process, and knows no stage that is not there', () => {
  expect(isInForce(localPrincipal, { apiKeys: [], token: null })).toBe(true)
  for (const stage of ['siwe', 'oauth', 'edge-access'] as const) {
    expect(isInForce({ id: `${stage}:x`, stage, scopes: new Set() }, credentials)).toBe(false)
  }
})
