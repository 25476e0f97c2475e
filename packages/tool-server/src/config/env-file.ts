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
  putContent(path, withLines(requireSafe(path) ? readFileSync(path, 'utf8') : firstLine, additions))
}

/**
 * Lays settings over an environment file: lines that set one of them go, new ones are put at the
 * end (`null` for none), and every other line stays. The former file is kept beside it as `.bak`, as closed as itself. Where nothing changes,
 * nothing is written. Throws as {@link readEnvFile}.
 */
export function mergeEnvFile(path: string, values: Readonly<Record<string, string | null>>): MergedEnvFile {
  const written = readEnvFile(path)
  for (const [name, value] of Object.entries(values)) if (/[\r\n]/.test(value ?? '')) throw twoLines(name)
  const differing = Object.entries(values).filter(([name, value]) => (written[name] ?? null) !== value)
  if (differing.length === 0) return { changed: [], backup: null }
  const changes = Object.fromEntries(differing)
  const before = requireSafe(path) ? readFileSync(path, 'utf8') : null
  const kept = (before ?? firstLine).split('\n').flatMap((line) => {
    const name = /^([A-Z][A-Z0-9_]*)=/.exec(line)?.[1]
    return name === undefined || changes[name] === undefined ? [line] : []
  })
  const added = Object.fromEntries(
    differing.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  )
  const backup = before === null ? null : `${path}.bak`
  if (before !== null && backup !== null) putContent(backup, before)
  putContent(path, withLines(kept.join('\n'), added))
  return { changed: differing.map(([name]) => name), backup }
}

export type MergedEnvFile = {
  /** The settings that have another value now. */
  readonly changed: readonly string[]
  /** Where the former file is; `null` where there was none, or nothing changed. */
  readonly backup: string | null
}

const firstLine = '# Written by svc. Keep it secret, keep it out of version control.\n'

function withLines(before: string, additions: Readonly<Record<string, string>>): string {
  const lines = Object.entries(additions).map(([name, value]) => `${name}=${value}\n`)
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${lines.join('')}`
}

/** A crash leaves the old content or the new one. */
function putContent(path: string, content: string): void {
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

function twoLines(setting: string): ConfigError {
  const message = 'A value is one line.'
  return new ConfigError([{ code: 'SETTING_INVALID', setting, message, fix: `Correct ${setting}.` }])
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

/**
 * Refuses a data directory that a restore has not finished: what stands in it is not all of the state yet. Throws a `ConfigError` with
 * the fix.
 */
export function requireRestored(dataDir: string): void {
  const setting = join(dataDir, restoringName)
  if (lstatSync(setting, { throwIfNoEntry: false }) === undefined) return
  const message = 'A restore into this data directory was cut off, so not all of the state stands in it.'
  const fix = `Run svc restore again, with the same backup: svc restore BACKUP --data-dir ${dataDir}`
  throw new ConfigError([{ code: 'RESTORE_UNFINISHED', setting, message, fix }])
}

/** The folder that stands in a data directory while a backup is restored into it. */
export const restoringName = 'restoring'
