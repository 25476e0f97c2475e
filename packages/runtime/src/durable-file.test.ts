import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { directoryObstacle, makeDirectory } from './durable-file.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-directories-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

test('a directory is made with those above it, for its owner alone, and one that is there stays', () => {
  const path = join(folder, 'a', 'b', 'c')
  makeDirectory(path)
  writeFileSync(join(path, 'kept'), '')
  makeDirectory(path)
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
  expect(readdirSync(path)).toEqual(['kept'])
})

test.runIf(process.platform === 'linux').each([
  ['/proc/x', 'the system makes no directory there (ENOENT)'],
  ['/proc/x/y/z', 'the system makes no directory there (ENOENT)'],
])('%s is refused at once', (path, why) => {
  expect(obstacleTo(path)).toBe(why)
})

test('a file in its place or on the way to it is named as such', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(obstacleTo(file)).toBe('a file of this name is in its place (EEXIST)')
  expect(obstacleTo(join(file, 'below'))).toBe('a part of this path is a file and no directory (ENOTDIR)')
  expect(directoryObstacle(new Error('of another kind'))).toBeNull()
})

// The recursive call of Node 20 never returns below /proc.
test('no other file makes directories recursively', () => {
  const packages = join(import.meta.dirname, '..', '..')
  const sources = readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name), { withFileTypes: true }).some((entry) => entry.name === 'src')
      ? readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' }).map((file) =>
          join(packages, name, 'src', file),
        )
      : [],
  )
  const product = sources.filter((path) => /\.tsx?$/.test(path) && !/\.(?:test|fixture)\.tsx?$/.test(path))
  expect(product.length).toBeGreaterThan(900)
  const recursive = /mkdir(?:Sync)?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*recursive/
  expect(product.filter((path) => recursive.test(readFileSync(path, 'utf8')))).toEqual([])
})

function obstacleTo(path: string): string | null {
  try {
    makeDirectory(path)
    return 'made'
  } catch (error) {
    return directoryObstacle(error)
  }
}
