import * as z from 'zod';
import { describeNetwork } from '#contract/networks.ts';
import { networkFields } from '#contract/new-network.ts';
import { placeFieldErrors, quietUntilEdited, useZodForm } from '../../kit/forms/use-zod-form.ts';
import { DrawerForm, mergeRefs, useDrawerSubmit } from '../../kit/resource/drawer-form.tsx';
import { FormDrawer, type FormSlot } from '../../kit/resource/form-drawer.tsx';
import { useAllowNetwork } from '../../resources/network/network-queries.ts';
import { Field } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { showToast } from '../../ui/feedback/toast.ts';

const PORTS = 'Enter ports from 1 to 65535, separated by commas.';

const portsOf = (text: string): number[] | null =>
  text.trim() === '' ? null : text.split(',').map((part) => Number(part.trim() || Number.NaN));

const formSchema = z.object({
  network: z.string().trim().pipe(networkFields.network),
  ports: z.string().refine((text) => networkFields.ports.safeParse(portsOf(text)).success, { error: PORTS }),
});

type Props = { isOpen: boolean; onClose: () => void; onClosed: () => void };

/** Allows a network or an address. */
export const AllowNetworkDrawer = (drawer: Props) => (
  <FormDrawer
    drawer={drawer}
    words={{ title: 'Allow network', submit: 'Allow' }}
    scope="network:manage"
    reads={[]}
  >
    {(slot) => <AllowNetworkForm slot={slot} onAllowed={drawer.onClose} />}
  </FormDrawer>
);

const AllowNetworkForm = ({ slot, onAllowed }: { slot: FormSlot; onAllowed: () => void }) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { form } = useZodForm(formSchema, { values: { network: '', ports: '' } });
  const { register, handleSubmit, formState } = form;
  const { errors } = formState;
  const { submit, notice } = useDrawerSubmit(slot, (found) => placeFieldErrors(form, found));
  const { mutateAsync } = useAllowNetwork();
  const network = register('network');
  const save = (values: z.output<typeof formSchema>) =>
    submit(async () => {
      const allowed = await mutateAsync({ network: values.network, ports: portsOf(values.ports) });
      showToast({ title: `Allowed ${describeNetwork(allowed)}` });
      onAllowed();
    });
  return (
    <DrawerForm slot={slot} onSubmit={handleSubmit(save)}>
      {notice}
      <p className="text-muted">
        All pipelines, destinations and webhooks can then connect to this network, including those that other
        people create. Cloud metadata and the ports of Penstock itself stay forbidden.
      </p>
      <Field
        label="Address or network"
        error={errors.network?.message}
        help="For example 10.0.0.5, or 10.0.0.0/24 for all addresses that begin with 10.0.0."
      >
        <TextInput
          {...quietUntilEdited(network)}
          ref={mergeRefs(network.ref, slot.firstField)}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono text-sm"
        />
      </Field>
      <Field
        label="Ports"
        optional
        error={errors.ports?.message}
        help="For example 502, or 502, 1502. If empty, all ports are allowed."
      >
        <TextInput {...register('ports')} inputMode="text" autoComplete="off" className="font-mono text-sm" />
      </Field>
    </DrawerForm>
  );
};
