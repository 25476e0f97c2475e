import { createChainDirectory } from '@svc/amm/chains'
import { type Principal, type Scope, scopes } from '@svc/engine'
import { createLog, createRedactor } from '@svc/runtime'
import { chains } from '@svc/wallet/core'
import { expect, it } from 'vitest'
import type { WritePipeline } from '../dispatch/carry-out.ts'
import { createDispatch } from '../dispatch/dispatch.ts'
import type { Ports } from '../ports.ts'
import { noOperations } from '../test-server.fixture.ts'
import type { StatusReport } from '../tool-context.ts'
import { catalogue } from '../tools/index.ts'
import { codeOfWork } from './code-of.fixture.ts'

const asked: (string | null)[] = []
const dispatch = createDispatch({
  tools: catalogue,
  profile: 'full',
  ports: {
    chains: createChainDirectory(chains),
    rpc: { probe: async () => ({ healthy: false, headAgeSeconds: 1, latencyMs: 1, problem: 'silent', at: 1 }) },
    reach: { endpoints: async () => null },
    rewards: { cannotClaim: 'key' },
  } as unknown as Ports,
  status: { setup: () => Promise.reject(new Error('not asked for')) } as unknown as StatusReport,
  write: {
    operations: noOperations,
    latestAudit: async (of: string | null) => {
      asked.push(of)
      return { lines: [], isCut: false }
    },
  } as unknown as WritePipeline,
  log: createLog({ level: 'silent', redactor: createRedactor([]) }),
  isInForce: () => true,
  now: () => 0,
  newRequestId: () => 'request-1',
})

const withScopes = (own: readonly Scope[]): Principal => ({
  id: 'someone',
  stage: 'local',
  tier: null,
  scopes: new Set(own),
  expiresAt: null,
})

/** What must be held to read a resource: what its tool asks for, and of the audit log what stored writes ask for. */
const needs: Readonly<Record<string, Scope | null>> = {
  'svc://chains': 'read:market',
  'svc://policy': 'admin:wallet',
  'svc://errors': null,
  'svc://audit/latest': 'read:portfolio',
}

it('lists what a principal may read, and refuses the rest by the code of the tools', async () => {
  const { resources } = await dispatch.guides()
  for (const own of [[], ...scopes.map((scope) => [scope]), scopes]) {
    const principal = withScopes(own)
    const open = Object.keys(needs).filter((uri) => needs[uri] === null || principal.scopes.has(needs[uri]!))
    expect([own, resources.list(principal).map(({ uri }) => uri)]).toEqual([own, open])
    expect(resources.templates(principal)).toHaveLength(principal.scopes.has('read:portfolio') ? 1 : 0)
    const closed = Object.keys(needs).filter((uri) => !open.includes(uri))
    if (!principal.scopes.has('read:portfolio')) closed.push('svc://positions/base/7')
    for (const uri of closed) {
      const reading = resources.read({ uri, principal, signal: new AbortController().signal })
      expect([own, uri, await codeOfWork(reading)]).toEqual([own, uri, 'INSUFFICIENT_KEY_TIER'])
    }
  }
})

it('asks the audit log for one principal, and for all of them with admin:wallet alone', async () => {
  const { resources } = await dispatch.guides()
  const signal = new AbortController().signal
  for (const own of [
    ['read:portfolio'],
    ['read:portfolio', 'write:trade'],
    ['read:portfolio', 'admin:wallet'],
  ] as const) {
    await resources.read({ uri: 'svc://audit/latest', principal: withScopes(own), signal })
  }
  expect(asked).toEqual(['someone', 'someone', null])
})

it.each([
  'svc://audit',
  'svc://audit/latest/',
  'svc://audit/latest?of=all',
  'svc://positions/base',
  'svc://positions/base/7/8',
  'svc://positions/base/7?owner=x',
  'SVC://chains',
  'file:///etc/passwd',
  '',
])('has nothing at %j', async (uri) => {
  const { resources } = await dispatch.guides()
  const principal = withScopes(scopes)
  expect(await resources.read({ uri, principal, signal: new AbortController().signal })).toBeNull()
})

it('hands a part of an address to the tool as it stands, which refuses what it does not take', async () => {
  const { resources } = await dispatch.guides()
  const read = (uri: string) =>
    codeOfWork(resources.read({ uri, principal: withScopes(scopes), signal: new AbortController().signal }))
  expect(await read('svc://positions/%E0%A4%A/7')).toBe('CHAIN_NOT_SUPPORTED')
  expect(await read('svc://positions/%E2%80%AE/7')).toBe('VALIDATION_FAILED')
  expect(await read('svc://positions/base/7?version=v2')).toBe('VALIDATION_FAILED')
  expect(await read('svc://positions/base/..%2F7')).toBe('VALIDATION_FAILED')
})
