import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { networksApi } from '#contract/networks.ts';
import type { NewNetwork } from '#contract/new-network.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export const networkQueries = {
  list: () =>
    queryOptions({
      queryKey: queryKeys.networks,
      queryFn: async ({ signal }) => (await call(networksApi.list, { signal })).data,
    }),
};

export const useAllowNetwork = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewNetwork) => call(networksApi.create, { body }),
    onSuccess: () => void client.invalidateQueries({ queryKey: queryKeys.networks }),
  });
};

export const useRemoveNetwork = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(networksApi.remove, { params: { id } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: queryKeys.networks }),
  });
};
