import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serverEnvironment } from './server-environment.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const mend = /The local chain is known by the directory of its world: start one with `npm start -- --data-dir world`/

test.each(['local', 'LOCAL', '31337'])(
  '%s without the directory of its world is refused with the mend',
  async (chain) => {
    await expect(serverEnvironment(undefined, { SVC_DATA_DIR: directory }, chain)).rejects.toThrow(mend)
    const asked = serverEnvironment(directory, {}, chain)
    await expect(asked).rejects.toThrow(`No local world has run in ${directory}. `)
    await expect(asked).rejects.toThrow(mend)
  },
)

test('a --data-dir that is not there is named, and the world with it where the chain is the local one', async () => {
  const nowhere = join(directory, 'nowhere')
  const isMissing = `--data-dir ${nowhere} does not exist or cannot be read.`
  await expect(serverEnvironment(nowhere, {}, 'base')).rejects.toThrow(new Error(isMissing))
  const asked = serverEnvironment(nowhere, { SVC_CHAINS_FILE: join(directory, 'chains.json') }, 'local')
  await expect(asked).rejects.toThrow(`${isMissing} The local chain`)
})

test('the local chain is that of a chains file or a world; another chain needs neither', async () => {
  const given = { SVC_CHAINS_FILE: join(directory, 'mine.json') }
  expect(await serverEnvironment(directory, given, 'local')).toMatchObject(given)
  expect(await serverEnvironment(directory, {}, 'base')).toEqual({ LOG_LEVEL: 'error', SVC_DATA_DIR: directory })
  writeFileSync(join(directory, 'local-world.json'), `{"privateKey":"0x${'5a'.repeat(32)}"}\n`)
  writeFileSync(join(directory, 'chains.json'), '[]')
  const ofWorld = { SVC_CHAINS_FILE: join(directory, 'chains.json') }
  expect(await serverEnvironment(directory, {}, 'local')).toMatchObject(ofWorld)
})
