import { constants } from 'node:fs'
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openSqliteEngine } from './sqlite/sqlite-engine.ts'

/**
 * Puts a new store's file at a path where there is none yet, as opening one would make it: its tables are made once for all tests
 * of a worker, for making them takes longer than many a test.
 */
export async function placeMigrated(path: string): Promise<void> {
  template ??= makeTemplate()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await copyFile(await template, path, constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

let template: Promise<string> | undefined

async function makeTemplate(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'store-template-')), 'state.db')
  const engine = await openSqliteEngine(path)
  await engine.close()
  return path
}
