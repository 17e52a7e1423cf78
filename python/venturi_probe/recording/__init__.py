"""What every probe in Python needs: a run's folder, lanes and facts, and the begin and end of a recording in a process."""
