import { tenants } from '../../../../core/resources/tenants.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { spelling } from '../../naming/references.ts'

/** Returns the command that sets the country a tenant dials from; null stands for one to fill in. */
export const countryFix = async (
  { records }: Pick<Services, 'records'>,
  tenantId: number,
  country: string | null,
): Promise<string> =>
  `trunkline tenant update ${quoted(await spelling(records, tenants, tenantId))} --settings-set dialling.country=${country ?? 'COUNTRY'}`
