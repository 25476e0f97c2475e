import type { RegistrationTrip } from './registration-trip.ts'

/** The identity SDK (`agent0-sdk`), or `null` where it is not installed or cannot be loaded, which is a warning. */
export async function loadIdentitySdk(trip: RegistrationTrip): Promise<IdentitySdk | null> {
  const { options, attempts, warnings } = trip
  const skip = (reason: string) => {
    attempts.push({ kind: 'registration', tier: 'sdk-ipfs', outcome: 'skipped', reason })
    return null
  }
  try {
    const module = await (options.loadIdentitySdk ?? importInstalled)()
    if (isIdentitySdk(module)) return module
    warnings.push('The identity SDK that is installed has no class SDK; the registry was called directly.')
    return skip('The identity SDK has another shape.')
  } catch (error) {
    if (isMissing(error)) return skip('The identity SDK is not installed.')
    warnings.push('The identity SDK is installed and cannot be loaded; the registry was called directly.')
    return skip('The identity SDK cannot be loaded.')
  }
}

/** What of `agent0-sdk` 1.5 and later is used. */
export type IdentitySdk = { readonly SDK: new (config: object) => unknown }

const packageName = 'agent0-sdk'

/** The name in a constant, so that neither compilers nor bundlers want the package. */
function importInstalled(): Promise<unknown> {
  return import(packageName)
}

function isMissing(error: unknown): boolean {
  const isNotFound = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  return isNotFound && error.message.includes(packageName)
}

function isIdentitySdk(value: unknown): value is IdentitySdk {
  return typeof value === 'object' && value !== null && 'SDK' in value && typeof value.SDK === 'function'
}
