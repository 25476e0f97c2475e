import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorldDirectory, readyDraft, readyFile } from './world-directory.ts'

test('what a killed world said of itself goes with its chain, also a draft of it, and so does the agent of an example', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-world-'))
  const first = await openWorldDirectory(path)
  first.dispose()
  const kept = readdirSync(path)
  for (const name of [readyFile, readyDraft]) writeFileSync(join(path, name), '{"ready":true')
  mkdirSync(join(path, 'agent'))
  const second = await openWorldDirectory(path)
  second.dispose()
  expect([readdirSync(path), second.cleared, second.privateKey]).toEqual([kept, true, first.privateKey])
  rmSync(path, { recursive: true })
})
