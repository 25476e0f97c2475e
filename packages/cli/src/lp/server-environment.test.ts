import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownChainFix } from './tool-refusal.ts'
import { serverEnvironment } from './ask-pool.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test("a --data-dir that is not there is named, and how a chain of one's own is known", async () => {
  const nowhere = join(directory, 'nowhere')
  const isMissing = `--data-dir ${nowhere} does not exist or cannot be read. ${ownChainFix}`
  await expect(serverEnvironment(nowhere, {})).rejects.toThrow(new Error(isMissing))
})

test('the chains are those of a chains file, or else of a world, or else the built-in ones', async () => {
  const given = { SVC_CHAINS_FILE: join(directory, 'mine.json') }
  expect(await serverEnvironment(directory, {})).toEqual({ LOG_LEVEL: 'error', SVC_DATA_DIR: directory })
  writeFileSync(join(directory, 'local-world.json'), `{"privateKey":"0x${'5a'.repeat(32)}"}\n`)
  writeFileSync(join(directory, 'chains.json'), '[]')
  const ofWorld = { SVC_CHAINS_FILE: join(directory, 'chains.json') }
  expect(await serverEnvironment(directory, {})).toMatchObject(ofWorld)
  expect(await serverEnvironment(directory, given)).toMatchObject(given)
})
