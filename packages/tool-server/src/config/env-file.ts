import { closeSync, fsyncSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectory } from '@svc/runtime'
import { ConfigError, type ConfigProblem } from './config-shape.ts'

/** Where a data directory keeps its environment file. */
export function envFilePath(dataDir: string): string {
  return join(dataDir, '.env')
}

/**
 * Reads an environment file: `NAME=value` lines, `#` comments, nothing quoted, nothing expanded. A missing file is empty.
 * Throws a `ConfigError` when the file is a symbolic link, can be read by others, or holds anything else.
 */
export function readEnvFile(path: string): Readonly<Record<string, string>> {
  if (!requireSafe(path)) return {}
  const lines = readFileSync(path, 'utf8').split(/\r?\n/)
  const pairs = lines.flatMap((line, index) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const match = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line)
    if (match?.[1] === undefined || match[2] === undefined) throw malformed(path, index + 1)
    return [[match[1], match[2]] as const]
  })
  return Object.fromEntries(pairs)
}

/**
 * Appends settings to an environment file, or creates it. The new content is on disk before it takes the old one's place,
 * and only the owner can read it (0600, in a directory of 0700).
 */
export function appendEnvFile(path: string, additions: Readonly<Record<string, string>>): void {
  const exists = requireSafe(path)
  const before = exists
    ? readFileSync(path, 'utf8')
    : '# Written by svc. Keep it secret, keep it out of version control.\n'
  const lines = Object.entries(additions).map(([name, value]) => `${name}=${value}\n`)
  const content = `${before}${before.endsWith('\n') ? '' : '\n'}${lines.join('')}`
  const directory = dirname(path)
  makeDirectory(directory)
  const temporary = join(directory, `.env.${process.pid}.tmp`)
  rmSync(temporary, { force: true })
  writeDurably(temporary, content)
  renameSync(temporary, path)
  syncDirectory(directory)
}

/** Whether the file exists; throws when it is not one that only its owner can read. */
function requireSafe(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return false
  if (!stats.isFile()) throw unsafe(path, 'It is not a plain file.', 'Put a plain file in its place.')
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw unsafe(path, 'Others than its owner can read it.', `Run: chmod 600 ${path}`)
  }
  return true
}

function writeDurably(path: string, content: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

function unsafe(path: string, message: string, fix: string): ConfigError {
  return new ConfigError([{ code: 'ENV_FILE_UNSAFE', setting: path, message, fix }])
}

function malformed(path: string, line: number): ConfigError {
  const problem: ConfigProblem = {
    code: 'ENV_FILE_INVALID',
    setting: path,
    message: `Line ${line} is not NAME=value.`,
    fix: 'Correct or remove the line.',
  }
  return new ConfigError([problem])
}
