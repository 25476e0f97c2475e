import { afterEach, expect, test } from 'vitest'
import { makeReaderProject, type ReaderProject } from './reader-project.ts'

let project: ReaderProject
afterEach(() => project.remove())

test('a program that never ends, whatever it is told, is ended', async () => {
  const stays = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000)`
  project = await makeReaderProject({ 'stays.js': stays }, 1_000)
  await expect(project.run('stays.js')).rejects.toMatchObject({ killed: true })
})

test('a compiler that is ended is not taken for a content one', async () => {
  project = await makeReaderProject({ 'tsconfig.json': '{ "files": ["program.ts"] }', 'program.ts': '' }, 1)
  expect(await project.compile()).not.toBe('')
})
