import { describedActivityRoutes } from './activity.tsx'
import { describedAccountRoutes as ofAccount } from './api.ts'
import { describedOperatorRoutes } from './operator.ts'
import { describedPasskeyRoutes } from './passkeys-api.ts'
import { describedMemberRoutes } from './people.tsx'
import { describedProfileRoutes } from './profile.tsx'
import { describedRequestRoutes } from './requests.tsx'

export const describedAccountRoutes = [
  ...ofAccount,
  ...describedProfileRoutes,
  ...describedPasskeyRoutes,
  ...describedMemberRoutes,
  ...describedActivityRoutes,
  ...describedRequestRoutes,
  ...describedOperatorRoutes,
]
