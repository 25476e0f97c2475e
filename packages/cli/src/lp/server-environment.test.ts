import { createServer } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownChainFix } from './tool-refusal.ts'
import { endedWorld, serverEnvironment } from './ask-pool.ts'

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

test('of a local world that has ended it is said how to start it, and of nothing else', async () => {
  const away = new Error('RPC_UNAVAILABLE: The endpoint of the chain could not be reached.')
  expect(await endedWorld(away, directory), 'no world').toBeNull()
  const node = createServer((_request, response) => void response.end('{}'))
  await new Promise<void>((resolve) => void node.listen(0, '127.0.0.1', resolve))
  const place = node.address()
  const url = `http://127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}`
  writeFileSync(join(directory, 'local-world.json'), `{"privateKey":"0x${'5a'.repeat(32)}"}\n`)
  writeFileSync(join(directory, 'chains.json'), JSON.stringify([{ publicRpcUrls: [url] }]))
  expect(await endedWorld(away, directory), 'it answers').toBeNull()
  await new Promise((resolve) => node.close(resolve))
  const said = await endedWorld(away, directory)
  expect(said?.message).toContain(`The local world of ${directory} is not running: nothing answers at ${url}.`)
  expect(said?.message).toContain(`npm start -- --data-dir ${directory}`)
  expect(await endedWorld(new Error('POOL_NOT_FOUND: There is none.'), directory)).toBeNull()
})
