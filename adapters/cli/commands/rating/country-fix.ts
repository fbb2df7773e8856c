import { tenants } from '../../../../core/resources/tenants.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { spelling } from '../../naming/references.ts'

/** The command that says which country a tenant dials from; null: the one that a person knows. */
export const countryFix = async (
  { records }: Pick<Services, 'records'>,
  tenantId: number,
  country: string | null,
): Promise<string> =>
  `trunkline tenant update ${quoted(await spelling(records, tenants, tenantId))} --settings-set dialling.country=${country ?? 'COUNTRY'}`
