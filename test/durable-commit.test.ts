import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@svc/store'
import { expect, test } from 'vitest'
import { createCommitClock } from '../bench/parts/durable-commit.mjs'

test('what the benchmark of a write compares with can be measured again and again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-commit-'))
  const store = await openStore({ path: join(directory, 'state.db'), now: Date.now })
  const commitMs = createCommitClock(store.journal, `0x${'12'.repeat(20)}`)
  for (let round = 0; round < 3; round += 1) expect(await commitMs()).toBeGreaterThan(0)
  await store.close()
  rmSync(directory, { recursive: true })
})
