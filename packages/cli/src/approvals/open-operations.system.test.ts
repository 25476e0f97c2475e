import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usePostgres } from '@svc/devnet/testing'
import { openStore } from '@svc/store'
import { expect, test } from 'vitest'
import { openOperations } from './open-operations.ts'
import { planHash, waiting } from '../../../tool-server/src/operator/operations.fixture.ts'

const postgres = usePostgres()

test('works beside a server whose state stands in a database', async () => {
  const url = await postgres().newSchema()
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-approvals-'))
  const server = await openStore({ url, now: Date.now })
  await server.leases.acquire({ name: 'server', holder: 'the server', within: 'store' })
  await server.operations.create({ ...waiting, id: 'op-1' })
  const beside = await openOperations(dataDir, { SVC_DATABASE_URL: url })
  await beside.operations.decide('op-1', { approved: true, by: 'operator:cli', planHash })
  expect(await server.operations.byId('op-1')).toMatchObject({ state: 'approved', decidedBy: 'operator:cli' })
  expect(await server.operations.claim('op-1', { requestId: 'r' })).toMatchObject({ state: 'running' })
  await beside.close()
  await server.close()
  rmSync(dataDir, { recursive: true })
})
