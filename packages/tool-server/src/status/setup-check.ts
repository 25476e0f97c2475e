import type { SetupCheck } from '../tool-context.ts'

/** Nothing to fix. */
export function passed(id: string, message: string): SetupCheck {
  return { id, status: 'pass', message, fix: null }
}

/** What works, and could be better. */
export function warned(id: string, message: string, fix: string): SetupCheck {
  return { id, status: 'warn', message, fix }
}

/** What is broken. The fix ends in the command that fixes it, behind `Run: `. */
export function failed(id: string, message: string, fix: string): SetupCheck {
  return { id, status: 'fail', message, fix }
}

/** In the place of a data directory where there is none: settings are the platform's. */
export const atEdge = 'the edge'

/** The command that puts a setting into the environment file; a later line holds over an earlier one. */
export function setCommand(setting: string, value: string, place: string): string {
  if (place === atEdge) return `npx wrangler secret put ${setting}`
  return `echo '${setting}=${value}' >> ${place}/.env`
}
