import type { Access } from '../../../core/use-cases/accounts/access.ts'
import { respond } from '../responses.ts'
import type { Route } from '../route.ts'
import { requireAccount } from '../sessions/session.ts'

/** Serves who is logged in and what they may do, so that the console offers nothing else. */
export const standingRoutes = (access: Access): readonly Route[] => [
  {
    path: '/api/console/me',
    session: 'required',
    needs: { GET: 'account' },
    methods: {
      GET: async ctx => {
        const standing = await access.standing(requireAccount(ctx))
        respond(ctx, 200, 'Account loaded.', JSON.stringify(standing))
      },
    },
  },
]
