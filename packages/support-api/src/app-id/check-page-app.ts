import { ApiError } from '../api-error.ts'
import type { ConfigProblem } from '../config/config-error.ts'
import type { AppCheck } from './create-app-check.ts'

/**
 * What there is to doubt about the app that claims on the page count for: `null` when the identity provider knows it. One
 * that it does not know would have every claim on the page refused. Never rejects.
 */
export async function checkPageApp(apps: AppCheck, appId: string): Promise<ConfigProblem | null> {
  try {
    await apps.require(appId, 'the page')
    return null
  } catch (error) {
    const setting = 'SVC_PAGE_APP_ID'
    const isUnknown = error instanceof ApiError && error.code === 'APP_ID_INVALID'
    const message = isUnknown
      ? 'The identity provider does not know this app: every claim on the page would be refused.'
      : 'The identity provider did not say whether it knows this app.'
    const fix = isUnknown ? `Correct ${setting}.` : 'See to SVC_IDENTITY_PROVIDER_URL and SVC_IDENTITY_PROVIDER_PATH.'
    return { code: 'SETTING_INVALID', setting, message, fix }
  }
}
