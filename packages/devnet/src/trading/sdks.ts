import { createRequire } from 'node:module'
import type * as SdkCore from '@uniswap/sdk-core'
import type * as RouterSdk from '@uniswap/universal-router-sdk'
import type * as V3Sdk from '@uniswap/v3-sdk'
import type * as V4Sdk from '@uniswap/v4-sdk'

/** The vendor's own builders of calldata. Their ES modules are for bundlers; Node loads the CommonJS ones, in some 300 ms. */
export function loadSdks(): Sdks {
  const load = createRequire(import.meta.url)
  return {
    core: load('@uniswap/sdk-core') as typeof SdkCore,
    v3: load('@uniswap/v3-sdk') as typeof V3Sdk,
    v4: load('@uniswap/v4-sdk') as typeof V4Sdk,
    router: load('@uniswap/universal-router-sdk') as typeof RouterSdk,
  }
}

export type Sdks = {
  readonly core: typeof SdkCore
  readonly v3: typeof V3Sdk
  readonly v4: typeof V4Sdk
  readonly router: typeof RouterSdk
}
