/** The first screen is where something waits for the person, or else what runs. */
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { pendingQuery } from './queries/interactions.js';

export function Start(): ReactNode {
  const { data, isPending } = useQuery(pendingQuery);
  if (isPending) return null;
  return <Navigate to={(data?.data.length ?? 0) > 0 ? '/inbox' : '/tasks'} replace />;
}
